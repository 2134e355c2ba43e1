//! An algorithm that is not of `core/registry.h`: a program compiles its header with [`SOURCES`],
//! loads the library while it runs, and [registers](Library::register) it (`onramp-study try`).
//!
//! From then on each decision of the algorithm is recorded with its input, so that another build of
//! the same header can [repeat](Library::replay) them.

use crate::bindings::{Ack, Algorithm, Decision, Loss, Start};
use crate::registry::supply;
use crate::{Startup, STATE_BYTES};
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The headers that a library needs, by their places in `core/`, with their texts. `src/table.h`
/// makes the table `onramp_algorithms` from a list `STARTUP_ALGORITHMS` of one row.
pub static SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// At most so many events are recorded: some 120 MB.
const MAX_EVENTS: usize = 500_000;

/// The word of a state in which the number of its connection is kept, counted from 1.
const NUMBER_AT: usize = STATE_BYTES / 8 - 1;

/// The largest state of an algorithm whose decisions are recorded.
pub const MAX_RECORDED_STATE_BYTES: usize = NUMBER_AT * 8;

/// A library with the algorithm.
#[derive(Clone, Copy)]
pub struct Library {
    algorithm: &'static Algorithm,
    state_bytes: usize,
}

/// The algorithm was not registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRegistered {
    /// The registry has an algorithm of this name.
    NameTaken,
    /// Another algorithm was registered before: a process has one.
    Occupied,
}

/// The library of the registered algorithm.
static REGISTERED: OnceLock<Library> = OnceLock::new();

impl Library {
    /// The algorithm of a library.
    ///
    /// # Safety
    /// `table` is the `onramp_algorithms` of a library that was compiled with these [`SOURCES`],
    /// and that stays loaded. It has one row. Its functions are as `core/startup.h` demands.
    /// `state_bytes` is the size of the algorithm's state.
    pub unsafe fn new(table: *const c_void, state_bytes: usize) -> Library {
        Library {
            // SAFETY: the caller's
            algorithm: unsafe { &*table.cast::<Algorithm>() },
            state_bytes,
        }
    }

    /// The size of the algorithm's state.
    pub fn state_bytes(&self) -> usize {
        self.state_bytes
    }

    /// From now on the algorithm is a start-up of this process, by its name.
    ///
    /// # Errors
    /// The name is one of the registry, or a process has registered another algorithm.
    pub fn register(self) -> Result<(), NotRegistered> {
        if Algorithm::named(self.algorithm.name()).is_some() {
            return Err(NotRegistered::NameTaken);
        }
        let occupied = REGISTERED.set(self).is_err();
        // These functions stand before those of the library, and record what they decide.
        let row = Algorithm {
            start: Some(start),
            ack: Some(ack),
            loss: Some(loss),
            ..*self.algorithm
        };
        if occupied || supply(row).is_err() {
            return Err(NotRegistered::Occupied);
        }
        Ok(())
    }

    /// Gives recorded inputs to this library, and compares its decisions with the recorded ones.
    pub fn replay(&self, recording: &Recording) -> Replayed {
        let mut replayed = Replayed::default();
        for (number, connection) in recording.0.iter().enumerate() {
            let mut startup = Startup::in_state(self.algorithm, connection.state);
            for (at, (input, recorded)) in connection.events.iter().enumerate() {
                let decision = match input {
                    Input::Start(input) => startup.start(input),
                    Input::Ack(input) => startup.ack(input),
                    Input::Loss(input) => startup.loss(input),
                };
                replayed.decisions += 1;
                if decision != *recorded {
                    replayed.differences += 1;
                    replayed.first.get_or_insert(Difference {
                        connection: number,
                        event: at,
                        recorded: *recorded,
                        replayed: decision,
                    });
                }
            }
        }
        replayed.connections = recording.0.len();
        replayed
    }
}

/// An event that was reported to the algorithm.
enum Input {
    Start(Start),
    Ack(Ack),
    Loss(Loss),
}

/// The events of a connection, from the state on that it had before its start.
struct Connection {
    state: [u64; STATE_BYTES / 8],
    events: Vec<(Input, Decision)>,
}

/// The decisions of the registered algorithm, by connections.
pub struct Recording(Vec<Connection>);

/// How a library has repeated the decisions of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The number of connections.
    pub connections: usize,
    /// The number of decisions.
    pub decisions: usize,
    /// The number of those that differ.
    pub differences: usize,
    /// The first of them.
    pub first: Option<Difference>,
}

/// A decision that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The connection, counted from 0.
    pub connection: usize,
    /// The event of the connection, counted from 0, its start.
    pub event: usize,
    /// What the registered library decided.
    pub recorded: Decision,
    /// What the other one decided.
    pub replayed: Decision,
}

/// The recording, while there is one.
static RECORDING: Mutex<Option<Recorder>> = Mutex::new(None);

#[derive(Default)]
struct Recorder {
    connections: Vec<Connection>,
    events: usize,
}

fn recording() -> MutexGuard<'static, Option<Recorder>> {
    RECORDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does `work`, and records the registered algorithm meanwhile. Beyond 500,000 events connections
/// are recorded in part. A state above [`MAX_RECORDED_STATE_BYTES`] is not recorded.
pub fn recorded<T>(work: impl FnOnce() -> T) -> (Recording, T) {
    *recording() = Some(Recorder::default());
    let result = work();
    let recorder = recording().take().unwrap_or_default();
    (Recording(recorder.connections), result)
}

/// The library whose functions stand behind those of this module.
fn library() -> Library {
    *REGISTERED.get().expect("only a registered row is called")
}

/// The state as words.
///
/// # Safety
/// It is the state of a [`Startup`], and nobody else uses it.
unsafe fn words<'a>(state: *mut c_void) -> &'a mut [u64; STATE_BYTES / 8] {
    // SAFETY: the caller's
    unsafe { &mut *state.cast() }
}

unsafe extern "C" fn start(state: *mut c_void, input: *const Start, decision: *mut Decision) {
    let library = library();
    // SAFETY: Startup gives its own state.
    let before = *unsafe { words(state) };
    let function = library.algorithm.start.expect("table.h fills the row");
    // SAFETY: the arguments are those of a host.
    unsafe { function(state, input, decision) };
    if library.state_bytes > MAX_RECORDED_STATE_BYTES {
        return;
    }
    if let Some(recorder) = &mut *recording() {
        if recorder.events < MAX_EVENTS {
            recorder.events += 1;
            recorder.connections.push(Connection {
                state: before,
                // SAFETY: Startup gives references.
                events: vec![unsafe { (Input::Start(*input), *decision) }],
            });
            // SAFETY: as above; the algorithm's own state ends before this word.
            let state = unsafe { words(state) };
            state[NUMBER_AT] = recorder.connections.len() as u64;
        }
    }
}

unsafe extern "C" fn ack(state: *mut c_void, input: *const Ack, decision: *mut Decision) {
    let function = library().algorithm.ack.expect("table.h fills the row");
    // SAFETY: the arguments are those of a host.
    unsafe { function(state, input, decision) };
    // SAFETY: the same.
    unsafe { add(state, Input::Ack(*input), *decision) };
}

unsafe extern "C" fn loss(state: *mut c_void, input: *const Loss, decision: *mut Decision) {
    let function = library().algorithm.loss.expect("table.h fills the row");
    // SAFETY: the arguments are those of a host.
    unsafe { function(state, input, decision) };
    // SAFETY: the same.
    unsafe { add(state, Input::Loss(*input), *decision) };
}

/// Records an event of a connection whose start was recorded.
///
/// # Safety
/// It is the state of a [`Startup`].
unsafe fn add(state: *mut c_void, input: Input, decision: Decision) {
    if library().state_bytes > MAX_RECORDED_STATE_BYTES {
        return;
    }
    // SAFETY: the caller's
    let number = unsafe { words(state) }[NUMBER_AT] as usize;
    if let Some(recorder) = &mut *recording() {
        let connection = number.checked_sub(1);
        let connection = connection.and_then(|at| recorder.connections.get_mut(at));
        if let Some(connection) = connection.filter(|_| recorder.events < MAX_EVENTS) {
            recorder.events += 1;
            connection.events.push((input, decision));
        }
    }
}
