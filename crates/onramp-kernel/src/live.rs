//! Moving sockets from one congestion control to another while their connections live
//! (`bpf/move.bpf.c`).

use crate::inspect::registered_names;
use crate::namespaces::{in_each, network_namespaces, Search};
use crate::object::{only_value, with_log};
use crate::probe;
use crate::records::{name_chars, Plain};
use crate::{Error, Result};
use libbpf_rs::{Iter, IterOpts, MapCore, MapFlags, MapHandle, Object, ObjectBuilder};
use onramp_bpf::bindings::{maps, Move};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Read;

/// How often to look again: a connection that is accepted meanwhile inherits the control of its
/// listening socket, which may not have been moved yet.
const MAX_PASSES: usize = 10;

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

/// Moves all sockets of all network namespaces from the control `from`, listening sockets too.
/// `to` names the other control; it runs inside of the namespace and gets its cookie.
pub(crate) fn move_sockets(
    from: &str,
    to: impl Fn(u64) -> Result<String> + Send + Sync,
) -> Result<Moved> {
    probe::check_tcp_iterator(&probe::kernel_btf()?)?;
    let mut mover = Mover::new()?;
    let namespaces = network_namespaces(Search::Thorough)?;
    let mut total = Moved::default();
    for _ in 0..MAX_PASSES {
        let results = in_each(&namespaces, |_, cookie| {
            let to = to(cookie)?;
            Ok((mover.run(from, &to)?, to))
        });
        let before = total.sockets;
        total.refused = 0;
        for (namespace, result) in results {
            match result {
                Ok((done, to)) => {
                    total.sockets += done.moved;
                    total.refused += done.refused;
                    if done.moved > 0 {
                        total.to.insert(to);
                    }
                }
                // This process may not enter it, or it has gone. What is left is reported anyway.
                Err(Error::Io { .. }) if !namespace.is_own => {}
                Err(error) => return Err(error),
            }
        }
        if total.sockets == before {
            break;
        }
    }
    Ok(total)
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
    state: MapHandle,
}

impl Mover {
    fn new() -> Result<Mover> {
        let (object, log) = with_log(|| {
            ObjectBuilder::default()
                .open_memory(onramp_bpf::MOVE)?
                .load()
        });
        let object = object.map_err(|error| refused(&error, log))?;
        let state = crate::object::map_named(&object, maps::DATA_MOVE, "the mover")?;
        let state = state.expect("move.bpf.c has it");
        Ok(Mover { object, state })
    }

    /// Visits the sockets of this thread's network namespace.
    fn run(&mut self, from: &str, to: &str) -> Result<Move> {
        let order = Move {
            from: name_chars(from),
            to: name_chars(to),
            ..Default::default()
        };
        let (result, log) = with_log(|| {
            let key = 0u32.to_ne_bytes();
            self.state.update(&key, order.as_bytes(), MapFlags::ANY)?;
            let program = self
                .object
                .progs_mut()
                .next()
                .expect("move.bpf.c has a program");
            // The iterator visits the namespace in which this call is made.
            let link = program.attach_iter_with_opts(IterOpts::None)?;
            let mut nothing = Vec::new();
            Iter::new(&link)?
                .read_to_end(&mut nothing)
                .map_err(libbpf_rs::Error::from)?;
            Ok(())
        });
        result.map_err(|error| refused(&error, log))?;
        let done = only_value(&self.state).and_then(|value| Move::from_bytes(&value));
        Ok(done.unwrap_or(order))
    }
}

fn refused(error: &libbpf_rs::Error, log: String) -> Error {
    Error::Refused {
        what: "moving live connections".to_owned(),
        cause: error.to_string(),
        log,
    }
}
