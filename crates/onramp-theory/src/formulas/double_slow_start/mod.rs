//! The double slow start: a fluid model of Tahoe on a path whose buffer is small compared with its
//! BDP.
//!
//! N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
//! Links. INRIA RR-3573, 1998. In short: slow start sends at twice the rate that the bottleneck
//! serves. A buffer smaller than a third of the BDP then overflows before the window reaches
//! ssthresh. The window at which this happens is a wrong estimate of the pipe, and a second slow
//! start follows.
//!
//! ```text
//!   beta      = B / (tau (mu - lambda) + 1)                  normalised buffer; rho = lambda / mu
//!   W_max     = B (mu - lambda) / mu + tau (mu - lambda) + 1             (3)
//!   W_B       = B (2 mu - lambda) / mu                                   (4)  window at overflow
//!   twice if    W_B <= W_th = W_max / 2, or beta <= 1 / (3 - rho)        (5)
//!   W_D       = min(W_th, 2 W_B)                                         (6)  window at detection
//!   gamma_max = beta (2 - rho) / (beta (1 - rho) + 1) = W_B / W_max      (7)
//!   gamma     = gamma_old (X2 - X1 + W) / (2 W)                          (8)
//!   W_B(R)    = B R / (R + lambda - mu)                                  (9)  segments sent at R
//!   R_max     = (mu - lambda) (1 + beta (1 - rho)) / (1 - beta (1 + rho))    (10)
//! ```
//!
//! Windows and the buffer are in packets, rates in packets per second, times in seconds. The
//! receiver acknowledges every packet, the source always has data to send, and the background
//! traffic is constant. The model does not hold unless the buffer is small compared with tau.
//! Throughput is that of a [`Cycle`], from one loss at W_max to the next.

mod cycle;
mod invalid;
mod path;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use cycle::{Cycle, Phase};
pub use invalid::Invalid;
pub use path::{adapted_gamma, Path, Source};
