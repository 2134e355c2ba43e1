//! `onramp top`: a live view of the service's policies.
//!
//! A thread of its own asks the service and the kernel, so keys are answered at once, whatever
//! these two do. `state` holds what is shown and how, `view` writes it as lines, `screen` is the
//! terminal.

mod columns;
mod screen;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod view;

use super::metrics::no_counts;
use crate::cli::TopArguments;
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::terminal;
use nix::errno::Errno;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use nix::sys::signal::{SigSet, Signal};
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, HOST_LACKS};
use onramp_cli::{print_json, Answer};
use onramp_service::metrics::fetch_counts;
use source::Source;
use state::{After, State};
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// How long a key, a signal or a news waits at most.
const TURN: Duration = Duration::from_millis(50);

pub fn run(arguments: &TopArguments, json: bool) -> Answer {
    let counts = fetch_counts(&arguments.socket).map_err(no_counts)?;
    if json {
        print_json(&counts);
        return Ok(DONE);
    }
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let message = "`top` needs a terminal; `onramp metrics --json` prints the counts once";
        return Err(Failure::new(BAD_INPUT, message));
    }
    let ending = Ending::block().map_err(|error| failed(&error))?;
    let source = Source::start(arguments.socket.clone(), arguments.every);
    let mut state = State::new(counts, std::env::var_os("NO_COLOR").is_none());
    // Also puts the terminal back if this process panics.
    screen::open().map_err(|error| failed(&error))?;
    let watched = watch(&mut state, &source, &ending);
    screen::restore();
    watched.map_err(|error| failed(&error))?;
    Ok(DONE)
}

fn watch(state: &mut State, source: &Source, ending: &Ending) -> io::Result<()> {
    let mut is_changed = true;
    loop {
        if is_changed {
            let (width, height) = terminal::size()?;
            screen::draw(view::lines(state, width.into(), height.into()))?;
            is_changed = false;
        }
        if ending.comes(TURN)? {
            return Ok(());
        }
        while event::poll(Duration::ZERO)? {
            is_changed = true;
            // Another event is a new size, above all: the view is drawn again.
            let Event::Key(key) = event::read()? else {
                continue;
            };
            if key.kind == KeyEventKind::Press && state.on_key(key) == After::Leave {
                return Ok(());
            }
        }
        for news in source.news() {
            state.on_news(news);
            is_changed = true;
        }
    }
}

fn failed(error: &io::Error) -> Failure {
    Failure::new(HOST_LACKS, format!("use the terminal: {error}"))
}

/// Signals that end the command. The terminal is put back first.
struct Ending(Arc<AtomicBool>);

impl Ending {
    /// Blocks them for this thread and for those that it starts, and lets a thread wait for one.
    fn block() -> io::Result<Ending> {
        let set = SigSet::from_iter([
            Signal::SIGTERM,
            Signal::SIGHUP,
            Signal::SIGINT,
            Signal::SIGQUIT,
        ]);
        set.thread_block()?;
        let came = Arc::new(AtomicBool::new(false));
        let has_come = Arc::clone(&came);
        std::thread::spawn(move || {
            let _ = set.wait();
            has_come.store(true, Ordering::Relaxed);
            // crossterm reads a terminal that is gone again and again, and does not return.
            std::thread::sleep(Duration::from_secs(1));
            screen::restore();
            std::process::exit(DONE.into());
        });
        Ok(Ending(came))
    }

    /// Waits for input, at most so long. Returns whether the command has to end, because of a
    /// signal or because the terminal is gone.
    fn comes(&self, at_most: Duration) -> io::Result<bool> {
        let stdin = io::stdin();
        let mut input = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(at_most).unwrap_or(PollTimeout::MAX);
        match poll(&mut input, timeout) {
            // A new size of the terminal is a signal, too.
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let gone = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
        let is_gone = input[0]
            .revents()
            .is_some_and(|events| events.intersects(gone));
        Ok(is_gone || self.0.load(Ordering::Relaxed))
    }
}
