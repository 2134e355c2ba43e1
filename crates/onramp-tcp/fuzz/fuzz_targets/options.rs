//! Fuzzes the parser of TCP options: any bytes are the options of a TCP header.
#![no_main]

use onramp_tcp::wire::properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::tcp_options(bytes));
