//! Any bytes as the options of a TCP header.
#![no_main]

use onramp_tcp::wire::*;

#[allow(dead_code)]
#[path = "../../src/wire/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::tcp_options(bytes));
