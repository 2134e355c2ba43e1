//! Moving sockets from one congestion control to another while their connections live
//! (`bpf/move.bpf.c`).

use crate::inspect::registered_names;
use crate::namespaces::{in_each, Found};
use crate::object::{map_named, read_iterator, with_log};
use crate::probe;
use crate::records::{name_bytes, name_chars, name_text, Plain};
use crate::{Error, Result};
use libbpf_rs::{IterOpts, MapCore, MapFlags, MapHandle, Object, ObjectBuilder};
use onramp_bpf::bindings::{maps, Move};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How often to look again: a connection that is accepted meanwhile inherits the control of its
/// listening socket, which may not have been moved yet.
const MAX_PASSES: usize = 10;

/// The operation, for an error.
const MOVING: &str = "moving live connections";

/// How many sockets were moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Sockets that have another congestion control now.
    pub sockets: u64,
    /// The names of those controls.
    pub to: BTreeSet<String>,
    /// Sockets for which the kernel refused the other congestion control.
    pub refused: u64,
}

/// Moves all sockets of these network namespaces away from some controls, listening sockets too.
/// `to` names the control that follows one of them; it runs inside of the namespace and gets its
/// cookie. One walk over the sockets serves all controls. Returns what became of the sockets of
/// each, and the number of walks.
pub(crate) fn move_sockets(
    from: &[&str],
    namespaces: &[Found],
    to: impl Fn(u64, &str) -> Result<String> + Send + Sync,
) -> Result<(BTreeMap<String, Moved>, usize)> {
    probe::check_tcp_iterator(&probe::kernel_btf()?)?;
    let mut mover = Mover::new()?;
    let all = from
        .iter()
        .map(|name| ((*name).to_owned(), Moved::default()));
    let mut all: BTreeMap<String, Moved> = all.collect();
    let mut walks = 0;
    while walks < MAX_PASSES {
        walks += 1;
        let results = in_each(namespaces, |_, cookie| {
            let orders = from.iter().map(|name| Ok((*name, to(cookie, name)?)));
            let orders = orders.collect::<Result<Vec<_>>>()?;
            mover.run(&orders)
        });
        all.values_mut().for_each(|moved| moved.refused = 0);
        let mut has_moved = false;
        for (namespace, result) in results {
            let done = match result {
                Ok(done) => done,
                // This process may not enter it, or it has gone. What is left is reported anyway.
                Err(Error::Io { .. }) if !namespace.is_own => continue,
                Err(error) => return Err(error),
            };
            for (name, done) in from.iter().zip(done) {
                let total = all.get_mut(*name).expect("it has all names");
                total.sockets += done.moved;
                total.refused += done.refused;
                if done.moved > 0 {
                    total.to.insert(name_text(&done.to));
                    has_moved = true;
                }
            }
        }
        if !has_moved {
            break;
        }
    }
    Ok((all, walks))
}

/// Does a congestion control of this name exist in this network namespace?
///
/// # Errors
/// [`Error::NoControl`] if not.
pub(crate) fn check_exists(name: &str) -> Result<()> {
    let available = registered_names()?;
    if available.iter().any(|other| other == name) {
        return Ok(());
    }
    Err(Error::NoControl {
        name: name.to_owned(),
        available,
    })
}

struct Mover {
    object: Object,
    orders: MapHandle,
}

impl Mover {
    fn new() -> Result<Mover> {
        let load = || {
            ObjectBuilder::default()
                .open_memory(onramp_bpf::MOVE)?
                .load()
        };
        let object = with_log(load).map_err(|failed| failed.refused(MOVING))?;
        let orders = map_named(&object, maps::MOVES, "the mover")?;
        let orders = orders.expect("move.bpf.c has it");
        Ok(Mover { object, orders })
    }

    /// Visits the sockets of this thread's network namespace once. An order is the control that
    /// sockets leave, and the one that they get. Returns what was done of each.
    fn run(&mut self, orders: &[(&str, String)]) -> Result<Vec<Move>> {
        let moved = with_log(|| {
            for (from, to) in orders {
                let order = Move {
                    to: name_chars(to),
                    ..Default::default()
                };
                let from = name_bytes(from);
                self.orders.update(&from, order.as_bytes(), MapFlags::ANY)?;
            }
            let program = self
                .object
                .progs_mut()
                .next()
                .expect("move.bpf.c has a program");
            // The iterator visits the namespace in which this call is made.
            read_iterator(&program.attach_iter_with_opts(IterOpts::None)?)
        });
        moved.map_err(|failed| failed.refused(MOVING))?;
        let done = orders.iter().map(|(from, _)| {
            let value = self.orders.lookup(&name_bytes(from), MapFlags::ANY);
            let value = value.ok().flatten().unwrap_or_default();
            Move::from_bytes(&value).unwrap_or_default()
        });
        Ok(done.collect())
    }
}
