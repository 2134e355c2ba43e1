//! The algorithms of `core/`, tested through their Rust face: what the papers and RFCs demand of
//! them, and what their interface promises to a host.

mod ack_train;
mod ack_train_line;
mod ack_train_noise;
mod arbitrary;
mod astart;
mod eligible_rate;
mod eligible_rate_edges;
mod exact_rate;
mod flights;
mod gamma;
mod golden;
mod governor;
mod hoe;
mod host;
mod memory;
mod mul_div;
mod onramp;
mod onramp_delay;
mod onramp_loss;
mod onramp_memory;
mod onramp_pairs;
mod onramp_without;
mod paced_estimate;
mod paced_exit;
mod paced_pacing;
mod pair;
mod path;
mod properties;
mod qos;
mod receiver_clock;
mod registry;
mod restarts;
mod spaced;
mod standard;
mod token_bucket;
