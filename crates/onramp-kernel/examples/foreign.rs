//! Registers congestion controls of somebody else, to try Onramp beside them. They stay until this
//! program is ended by a signal. As root:
//!
//!     cargo run -p onramp-kernel --example foreign -- 20

#[path = "../tests/compile/mod.rs"]
mod compile;
#[path = "../tests/foreign/mod.rs"]
mod foreign;

fn main() {
    let count = std::env::args().nth(1).map_or(Ok(20), |text| text.parse());
    let Ok(count) = count else {
        eprintln!("foreign: expected a number of congestion controls");
        std::process::exit(2);
    };
    let registered = foreign::register("foreign", count);
    println!("{} congestion controls, until a signal", registered.len());
    loop {
        std::thread::park();
    }
}
