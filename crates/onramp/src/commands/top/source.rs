//! Where the view's values come from: the service's socket, and the kernel's connections.

use crate::commands::status::initial_rate;
use onramp_kernel::Connection;
use onramp_service::counts::Counts;
use onramp_service::metrics::fetch_counts;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

/// The initial rates in words, by the name of the congestion control, or why they are unknown.
pub type InitialRates = Result<BTreeMap<String, String>, String>;

/// What a look brought.
pub struct News {
    /// The counts, or why there are none.
    pub counts: Result<Counts, String>,
    /// The connections that begin at present, or why they cannot be listed.
    pub starting: Result<Vec<Connection>, String>,
    pub initial_rates: InitialRates,
}

/// A thread that looks again and again, until this value is dropped.
pub struct Source {
    news: Receiver<News>,
}

impl Source {
    pub fn start(socket: PathBuf, every: Duration) -> Source {
        // Nobody needs old news: the thread waits until the last ones were taken.
        let (to, news) = sync_channel(1);
        thread::spawn(move || look(&socket, every, &to));
        Source { news }
    }

    /// The news since the last call.
    pub fn news(&self) -> impl Iterator<Item = News> + '_ {
        self.news.try_iter()
    }
}

fn look(socket: &std::path::Path, every: Duration, to: &SyncSender<News>) {
    loop {
        let starting = onramp_kernel::connections().map_err(|error| error.to_string());
        let news = News {
            counts: fetch_counts(socket).map_err(|error| error.to_string()),
            starting: starting.map(|all| all.into_iter().filter(is_starting).collect()),
            initial_rates: initial_rates(),
        };
        if to.send(news).is_err() {
            return; // the view has gone
        }
        thread::sleep(every);
    }
}

fn initial_rates() -> InitialRates {
    let registered = onramp_kernel::registered().map_err(|error| error.to_string())?;
    let rates = registered
        .iter()
        .map(|loaded| (loaded.name.clone(), initial_rate(loaded)));
    Ok(rates.collect())
}

fn is_starting(connection: &Connection) -> bool {
    connection.exit_time_s.is_none() && connection.handed_over_time_s.is_none()
}
