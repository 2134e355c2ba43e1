//! The registrations of a service: pinned, so that they outlive its process.

use super::pins::{make, pin, remove_directory, remove_file, Pins};
use crate::defaults::{put_back, Going, PreviousDefaults, RestoredDefault};
use crate::inspect::registered_names;
use crate::namespaces::{network_namespaces, Search};
use crate::object::only_value;
use crate::records::{name_text, Plain};
use crate::registration::{config_for_service, register_for_service, Shared};
use crate::{Error, Options, Result};
use libbpf_rs::{MapCore, MapHandle};
use onramp_bpf::bindings::{Config, CONFIG_VERSION};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a registration may take to end after its pin was removed.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// A registration of the service.
#[derive(Clone)]
pub(super) struct Held {
    pub name: String,
    directory: PathBuf,
    /// Its read-only data; `None` if another version of Onramp made it.
    config: Option<Config>,
}

impl Held {
    /// All that are pinned.
    pub fn all(pins: &Pins) -> Vec<Held> {
        let entries = fs::read_dir(pins.registrations()).into_iter().flatten();
        let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let directories = entries.flatten().filter(is_directory);
        directories.map(|entry| Held::at(entry.path())).collect()
    }

    /// The one that is pinned in this directory, as far as it is pinned.
    fn at(directory: PathBuf) -> Held {
        let config = MapHandle::from_pinned_path(directory.join("config")).ok();
        let config: Option<Config> = config.and_then(|map| only_value(&map));
        let config = config.filter(|config| config.version == CONFIG_VERSION);
        let last = directory.file_name().unwrap_or_default().to_string_lossy();
        Held {
            name: match &config {
                Some(config) => name_text(&config.congestion_control),
                None => name_of_directory(&last),
            },
            directory,
            config,
        }
    }

    /// Registers a start-up, and pins it.
    pub fn register(pins: &Pins, options: &Options, shared: &Shared) -> Result<Held> {
        let mut made = register_for_service(options, shared)?;
        let directory = pins.registrations().join(directory_name(&made.name));
        let held = Held {
            config: Some(config_for_service(options, &made.name)?),
            name: made.name,
            directory: directory.clone(),
        };
        let mut pin_all = || {
            make(&directory)?;
            for (name, map) in [
                ("operations", &mut made.operations),
                ("config", &mut made.config),
                ("defaults", made.defaults.map()),
            ] {
                pin(&directory.join(name), |path| map.pin(path))?;
            }
            // The link last: what it pins is complete.
            if let Some(link) = &mut made.link {
                pin(&directory.join("link"), |path| link.pin(path))?;
            }
            Ok(())
        };
        let pinned = pin_all();
        drop(made.link);
        match pinned {
            Ok(()) => Ok(held),
            Err(error) => {
                let _ = Held::retire(&[held]); // the first error says more
                Err(error)
            }
        }
    }

    /// Does it do what these options ask for, with the programs of this build?
    pub fn serves(&self, options: &Options) -> bool {
        let wanted = config_for_service(options, &self.name);
        let own = self.config.as_ref().zip(wanted.ok());
        own.is_some_and(|(own, wanted)| own.as_bytes() == wanted.as_bytes())
            && registered_names().is_ok_and(|names| names.contains(&self.name))
    }

    /// Ends them. Connections that use them keep them until they end. Network namespaces whose
    /// default one of them is get the default from before. One that does not end keeps none of the
    /// others.
    pub fn retire(all: &[Held]) -> Result<Vec<RestoredDefault>> {
        let registered = registered_names()?;
        let ending = all.iter().filter(|held| registered.contains(&held.name));
        let ending = ending.map(|held| {
            let previous = held.pinned("defaults").map(PreviousDefaults::pinned);
            (held, previous)
        });
        let ending: Vec<_> = ending.collect();
        let going = ending.iter().map(|(held, previous)| Going {
            name: &held.name,
            previous: previous.as_ref(),
        });
        let going: Vec<_> = going.collect();
        let mut restored = Vec::new();
        if !going.is_empty() {
            restored = put_back(&going, &network_namespaces(Search::Thorough)?);
        }
        let unpinned = all.iter().map(Held::unpin).fold(Ok(()), Result::and);
        for (held, _) in &ending {
            held.wait_until_ended()?;
        }
        unpinned?;
        Ok(restored.into_iter().map(|(_, default)| default).collect())
    }

    fn pinned(&self, name: &str) -> Option<MapHandle> {
        MapHandle::from_pinned_path(self.directory.join(name)).ok()
    }

    /// Removes its pins. Without them it ends.
    pub fn unpin(&self) -> Result<()> {
        let operations = self.pinned("operations");
        remove_file(&self.directory.join("link"))?;
        if let Some(operations) = operations {
            // Before Linux 6.4 this ends it. With a link the kernel refuses, and the link's end
            // does.
            let _ = operations.delete(&0u32.to_ne_bytes());
        }
        remove_directory(&self.directory)
    }

    fn wait_until_ended(&self) -> Result<()> {
        let deadline = Instant::now() + END_TIMEOUT;
        while registered_names()?.contains(&self.name) {
            if Instant::now() > deadline {
                let what = format!("unregistering {}", self.name);
                return Err(Error::refused(what, "it is still registered"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// Pins have no dots in their names.
fn directory_name(name: &str) -> String {
    name.replace('.', "-")
}

fn name_of_directory(directory: &str) -> String {
    match directory.rsplit_once('-') {
        Some((name, number)) => format!("{name}.{number}"),
        None => directory.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_tells_the_name() {
        for name in ["onramp.1", "onramp_stand.17"] {
            assert_eq!(name_of_directory(&directory_name(name)), name);
        }
    }
}
