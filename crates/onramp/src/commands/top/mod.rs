//! `onramp top`: a live view of the service's policies.
//!
//! A thread of its own asks the service and the kernel, so keys are answered at once, whatever
//! these two do. `state` holds what is shown and how, `view` draws it.

mod columns;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod view;

use super::{print_json, Answer};
use crate::cli::TopArguments;
use crate::failure::{Failure, BAD_INPUT, DONE, HOST_LACKS};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use onramp_service::metrics::fetch_counts;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::DefaultTerminal;
use source::Source;
use state::{After, State};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// How long a key, a signal or a news waits at most.
const TURN: Duration = Duration::from_millis(50);

pub fn run(arguments: &TopArguments, json: bool) -> Answer {
    let counts = fetch_counts(&arguments.socket)?;
    if json {
        print_json(&counts);
        return Ok(DONE);
    }
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let message = "`top` needs a terminal; `onramp metrics --json` prints the counts once";
        return Err(Failure::new(BAD_INPUT, message));
    }
    let signals = Ending::block().map_err(|error| failed(&error))?;
    let source = Source::start(arguments.socket.clone(), arguments.every);
    let mut state = State::new(counts, std::env::var_os("NO_COLOR").is_none());
    // Also puts the terminal back if this process panics.
    let mut terminal = ratatui::try_init().map_err(|error| failed(&error))?;
    let watched = watch(&mut terminal, &mut state, &source, &signals);
    ratatui::restore();
    watched.map_err(|error| failed(&error))?;
    Ok(DONE)
}

fn watch(
    terminal: &mut DefaultTerminal,
    state: &mut State,
    source: &Source,
    signals: &Ending,
) -> io::Result<()> {
    let mut is_changed = true;
    loop {
        if is_changed {
            terminal.draw(|frame| view::draw(frame, state))?;
            is_changed = false;
        }
        if event::poll(TURN)? {
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
        if signals.came() {
            return Ok(());
        }
    }
}

fn failed(error: &io::Error) -> Failure {
    Failure::new(HOST_LACKS, format!("use the terminal: {error}"))
}

/// Signals that end the command. The terminal is put back first.
struct Ending(SignalFd);

impl Ending {
    /// Blocks them for this thread, and for those that it starts.
    fn block() -> io::Result<Ending> {
        let ends = [
            Signal::SIGTERM,
            Signal::SIGHUP,
            Signal::SIGINT,
            Signal::SIGQUIT,
        ];
        let set = SigSet::from_iter(ends);
        set.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Ending(SignalFd::with_flags(&set, flags)?))
    }

    fn came(&self) -> bool {
        matches!(self.0.read_signal(), Ok(Some(_)))
    }
}
