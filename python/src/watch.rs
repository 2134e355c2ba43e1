//! Long work without the GIL, while Python's signals are obeyed and progress is reported.

use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How often signals are looked at and progress is reported.
const INTERVAL: Duration = Duration::from_millis(50);

/// The work under way.
#[derive(Debug, Default)]
pub struct Work {
    /// Set where the work should stop.
    pub stop: Arc<AtomicBool>,
    done: AtomicUsize,
}

impl Work {
    /// A further part of the work is done.
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

/// The number of threads for this request; `None`: one for each processor.
pub fn threads(wanted: Option<usize>) -> usize {
    let all = || thread::available_parallelism().map_or(1, usize::from);
    wanted.unwrap_or_else(all).max(1)
}

/// Runs `work` on a thread of its own. This thread calls `progress(done, total)` and obeys signals
/// meanwhile: Ctrl-C sets [`Work::stop`], and the call returns `KeyboardInterrupt` when the work
/// has stopped.
pub fn watched<T: Send>(
    py: Python<'_>,
    total: usize,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Work) -> T + Send,
) -> PyResult<T> {
    let state = Work::default();
    let look = |py: Python<'_>| {
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1(py, (state.done.load(Ordering::Relaxed), total))?;
        }
        PyResult::Ok(())
    };
    look(py)?;
    let mut error: Option<PyErr> = None;
    let ended = py.detach(|| {
        thread::scope(|scope| {
            let (ending, ended) = channel::<()>();
            let worker = scope.spawn(|| {
                // Dropped at the end of the work, also by a panic.
                let _ending = ending;
                work(&state)
            });
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(INTERVAL) {
                if error.is_none() {
                    error = Python::attach(look).err();
                    state.stop.store(error.is_some(), Ordering::SeqCst);
                }
            }
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    });
    match error {
        Some(error) => Err(error),
        None => look(py).map(|()| ended),
    }
}
