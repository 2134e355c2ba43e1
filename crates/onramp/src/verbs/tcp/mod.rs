//! `onramp tcp`: our own TCP, over a TUN device, with this machine's kernel.

mod arguments;
mod content;
mod get;
mod report;
mod serve;
mod sink;
mod transfer;

pub use arguments::TcpArguments;

use super::Answer;
use crate::failure::{Failure, BAD_INPUT, HOST_LACKS};
use arguments::{DeviceArguments, StackArguments, TcpVerb};
use onramp_tun::{Application, Device, Driver, Endpoint};

pub fn run(arguments: &TcpArguments, json: bool) -> Answer {
    match &arguments.verb {
        TcpVerb::Serve(arguments) => serve::run(arguments, json),
        TcpVerb::Get(arguments) => get::run(arguments, json),
    }
}

/// An MTU where neither a device nor an option says one: Ethernet's.
const DEFAULT_MTU_BYTES: u32 = 1500;
/// How long a last acknowledgement may be asked for again, and what is under way may take.
const LINGER_NS: u64 = 1_000_000_000;

/// The endpoint on its device.
fn open<A: Application>(
    device: &DeviceArguments,
    tcp: &StackArguments,
) -> Result<Driver<A>, Failure> {
    let DeviceArguments {
        tun: name,
        address,
        host,
        mtu,
        capture,
        ..
    } = device;
    if *host == Some(*address) {
        let message = format!(
            "--address and --host are both {address}: our TCP and this host's need one each"
        );
        return Err(Failure::new(BAD_INPUT, message));
    }
    let mut opened = match host {
        Some(host) => {
            let mtu_bytes = mtu.unwrap_or(DEFAULT_MTU_BYTES);
            Device::new(
                name,
                onramp_tun::create(name, *host, *address, mtu_bytes)?,
                mtu_bytes,
            )
        }
        None => {
            let (tun, mtu_bytes) = onramp_tun::open(name, *address)?;
            Device::new(name, tun, mtu_bytes)
        }
    };
    let mtu_bytes = mtu.unwrap_or(opened.mtu_bytes());
    if mtu_bytes > opened.mtu_bytes() {
        let found = opened.mtu_bytes();
        return Err(Failure::new(
            BAD_INPUT,
            format!("--mtu {mtu_bytes} is more than the {found} of the device {name}"),
        ));
    }
    if let Some(path) = device.path() {
        opened.emulate(&path);
    }
    if let Some(capture) = capture {
        opened.capture(capture)?;
    }
    Ok(Driver::new(
        Endpoint::new(*address, tcp.config(mtu_bytes)),
        opened,
    ))
}

/// Lets what is under way arrive, and completes the capture.
fn close<A: Application>(mut driver: Driver<A>) -> Result<(), Failure> {
    let _ = driver.linger(LINGER_NS); // the result stands, whether or not the device is still there
    Ok(driver.into_device().finish()?)
}

impl From<onramp_tun::Error> for Failure {
    fn from(error: onramp_tun::Error) -> Failure {
        let code = if error.is_of_host() {
            HOST_LACKS
        } else {
            BAD_INPUT
        };
        let also = match &error {
            onramp_tun::Error::Missing { .. } => {
                ", and --host ADDRESS one for as long as this runs"
            }
            _ => "",
        };
        Failure::new(code, format!("{error}{also}"))
    }
}
