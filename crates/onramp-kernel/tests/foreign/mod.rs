//! Congestion controls of somebody else in this kernel, with maps of their own, for tests of a busy
//! machine.

use crate::compile::compile;
use libbpf_rs::{Link, MapCore, Object, ObjectBuilder};
use std::path::Path;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/foreign.bpf.c");

/// A congestion control that is registered as long as this value lives; if the process is killed,
/// the kernel removes it.
pub struct Foreign {
    #[allow(dead_code)] // it is dropped
    link: Link,
    _object: Object,
}

/// Registers this many, as `PREFIX1` and so on. Names have at most 15 characters, and are global to
/// the machine.
///
/// # Panics
/// If clang cannot compile the program, or if the kernel refuses it.
pub fn register(prefix: &str, count: usize) -> Vec<Foreign> {
    let object = compile(SOURCE);
    (1..=count)
        .map(|number| load(&object, &format!("{prefix}{number}")))
        .collect()
}

/// Registers one with the names of Onramp's programs, but without its configuration, as another
/// version does, and pins what keeps it.
///
/// # Panics
/// As [`register`].
#[allow(dead_code)] // not used by benches
pub fn pin_as_other_version(name: &str, pin: &Path) {
    let folder = std::env::temp_dir().join(format!("onramp-other-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("other.bpf.c");
    let text = std::fs::read_to_string(SOURCE).unwrap();
    std::fs::write(&source, text.replace("foreign_", "onramp_")).unwrap();
    let mut registered = load(&compile(source.to_str().unwrap()), name);
    registered.link.pin(pin).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

fn load(object: &[u8], name: &str) -> Foreign {
    let mut open = ObjectBuilder::default().open_memory(object).unwrap();
    let mut map = open
        .maps_mut()
        .find(|map| map.name() == "foreign")
        .expect("it is in foreign.bpf.c");
    let value = map.initial_value_mut().unwrap();
    value[..16].fill(0);
    value[..name.len()].copy_from_slice(name.as_bytes());
    let mut object = open
        .load()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let link = object
        .maps_mut()
        .find(|map| map.name() == "foreign")
        .expect("it has been loaded")
        .attach_struct_ops()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    Foreign {
        link,
        _object: object,
    }
}
