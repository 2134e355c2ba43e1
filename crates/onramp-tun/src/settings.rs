//! Opening an endpoint on a device with one call.

use crate::application::Application;
use crate::device::Device;
use crate::driver::Driver;
use crate::endpoint::Endpoint;
use crate::error::Error;
use crate::interface;
use crate::path::PathSettings;
use onramp_tcp::Config;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

/// The MTU of Ethernet, for a new device.
const DEFAULT_MTU_BYTES: u32 = 1500;
/// Every link of IPv6 carries packets of this size (RFC 8200, section 5). The kernel has no IPv6 on
/// devices with less.
const MIN_IPV6_MTU_BYTES: u32 = 1280;

/// The device, the addresses and the path of an endpoint.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name of the TUN device.
    pub device: String,
    /// Address of the endpoint. The host must route it to the device.
    pub address: IpAddr,
    /// Creates the device and gives the host this address on it. `None` uses a device that exists.
    pub host: Option<IpAddr>,
    /// Maximum packet in bytes. `None` stands for 1500 on a new device, and for the MTU of a device
    /// that exists.
    pub mtu_bytes: Option<u32>,
    /// Emulates this path between the endpoint and the host.
    pub path: Option<PathSettings>,
    /// Writes all packets of the endpoint into this pcap file.
    pub capture: Option<PathBuf>,
}

impl Default for Settings {
    /// The existing device `tun0`, and an address for documentation (RFC 5737).
    fn default() -> Settings {
        Settings {
            device: "tun0".to_owned(),
            address: Ipv4Addr::new(192, 0, 2, 2).into(),
            host: None,
            mtu_bytes: None,
            path: None,
            capture: None,
        }
    }
}

impl Settings {
    /// Opens or creates the device, and puts an endpoint on it. `config` makes the configuration of
    /// the connections from the MTU in bytes.
    ///
    /// # Errors
    /// The device cannot be opened or created, an address or the MTU does not fit, or the capture
    /// file cannot be created.
    pub fn open<A: Application>(
        &self,
        config: impl FnOnce(u32) -> Config,
    ) -> Result<Driver<A>, Error> {
        let mut device = self.open_device()?;
        let mtu_bytes = self.mtu_bytes.unwrap_or(device.mtu_bytes());
        if mtu_bytes > device.mtu_bytes() {
            return Err(Error::MtuTooLarge {
                device: self.device.clone(),
                wanted_bytes: mtu_bytes,
                device_bytes: device.mtu_bytes(),
            });
        }
        if let Some(path) = &self.path {
            device.emulate(path);
        }
        if let Some(capture) = &self.capture {
            device.capture(capture)?;
        }
        let endpoint = Endpoint::new(self.address, config(mtu_bytes));
        Ok(Driver::new(endpoint, device))
    }

    fn open_device(&self) -> Result<Device, Error> {
        let Some(host) = self.host else {
            let (tun, mtu_bytes) = interface::open(&self.device, self.address)?;
            return Ok(Device::new(&self.device, tun, mtu_bytes));
        };
        if host == self.address {
            return Err(Error::SameAddress { address: host });
        }
        if host.is_ipv4() != self.address.is_ipv4() {
            return Err(Error::MixedVersions {
                option: "--host",
                found: host,
                address: self.address,
            });
        }
        let mtu_bytes = self.mtu_bytes.unwrap_or(DEFAULT_MTU_BYTES);
        if host.is_ipv6() && mtu_bytes < MIN_IPV6_MTU_BYTES {
            return Err(Error::MtuTooSmall { mtu_bytes });
        }
        let tun = interface::create(&self.device, host, self.address, mtu_bytes)?;
        Ok(Device::new(&self.device, tun, mtu_bytes))
    }
}
