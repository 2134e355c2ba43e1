//! What is shown, and how: keys and news change it.

use super::columns::{Column, Row, COLUMNS};
use super::source::{InitialRates, News};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use onramp_kernel::Connection;
use onramp_service::counts::{Counts, PolicyCounts};
use std::cmp::Ordering;

/// What follows a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    Stay,
    Leave,
}

/// What the lower part shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lower {
    /// The selected policy.
    Policy,
    /// Connections that begin at present.
    Starting,
}

pub struct State {
    pub counts: Counts,
    /// The counts one look before, for rates.
    before: Option<Counts>,
    /// Why there are no newer counts.
    pub trouble: Option<String>,
    pub starting: Result<Vec<Connection>, String>,
    pub initial_rates: InitialRates,
    pub uses_colour: bool,
    pub sort: usize,
    pub is_reversed: bool,
    pub filter: String,
    pub is_filtering: bool,
    pub is_paused: bool,
    pub shows_help: bool,
    pub lower: Lower,
    /// The name of the selected policy: it stays selected when the order changes.
    selected: Option<String>,
}

impl State {
    pub fn new(counts: Counts, uses_colour: bool) -> State {
        State {
            counts,
            before: None,
            trouble: None,
            starting: Ok(Vec::new()),
            initial_rates: Ok(Default::default()),
            uses_colour,
            sort: 0,
            is_reversed: false,
            filter: String::new(),
            is_filtering: false,
            is_paused: false,
            shows_help: false,
            lower: Lower::Policy,
            selected: None,
        }
    }

    /// News are left out while the view is paused.
    pub fn on_news(&mut self, news: News) {
        if self.is_paused {
            return;
        }
        self.starting = news.starting;
        self.initial_rates = news.initial_rates;
        match news.counts {
            Ok(counts) => {
                self.trouble = None;
                // The service may not have read the kernel again.
                if counts.time_s > self.counts.time_s {
                    self.before = Some(std::mem::replace(&mut self.counts, counts));
                }
            }
            Err(trouble) => self.trouble = Some(trouble),
        }
    }

    pub fn on_key(&mut self, key: KeyEvent) -> After {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return After::Leave;
        }
        if self.is_filtering {
            self.on_filter_key(key.code);
            return After::Stay;
        }
        if self.shows_help {
            self.shows_help = false;
            return After::Stay;
        }
        match key.code {
            KeyCode::Char('q') => return After::Leave,
            KeyCode::Esc if self.filter.is_empty() => return After::Leave,
            KeyCode::Esc => self.filter.clear(),
            KeyCode::Char('?' | 'h') => self.shows_help = true,
            KeyCode::Char('p' | ' ') => self.is_paused = !self.is_paused,
            KeyCode::Char('s') | KeyCode::Right => self.sort = (self.sort + 1) % COLUMNS.len(),
            KeyCode::Left => self.sort = (self.sort + COLUMNS.len() - 1) % COLUMNS.len(),
            KeyCode::Char('r') => self.is_reversed = !self.is_reversed,
            KeyCode::Char('/' | 'f') => self.is_filtering = true,
            KeyCode::Char('c') | KeyCode::Tab => {
                self.lower = match self.lower {
                    Lower::Policy => Lower::Starting,
                    Lower::Starting => Lower::Policy,
                }
            }
            KeyCode::Down | KeyCode::Char('j') => self.select(1),
            KeyCode::Up | KeyCode::Char('k') => self.select(-1),
            KeyCode::Home => self.select(isize::MIN / 2),
            KeyCode::End => self.select(isize::MAX / 2),
            _ => {}
        }
        After::Stay
    }

    fn on_filter_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Enter => self.is_filtering = false,
            KeyCode::Esc => {
                self.is_filtering = false;
                self.filter.clear();
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Char(char) => self.filter.push(char),
            _ => {}
        }
    }

    fn select(&mut self, by: isize) {
        let rows = self.rows();
        let Some(last) = rows.len().checked_sub(1) else {
            return;
        };
        let now = self.selected_of(&rows).unwrap_or(0) as isize;
        let index = (now + by).clamp(0, last as isize) as usize;
        self.selected = Some(rows[index].policy.name.clone());
    }

    /// The column by which the policies are sorted.
    pub fn sort_column(&self) -> &'static Column {
        &COLUMNS[self.sort]
    }

    /// The policies that pass the filter, in their order.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let wanted = self.filter.to_lowercase();
        let policies = self.counts.policies.iter().filter(|policy| {
            let startup = policy.startup.as_deref().unwrap_or("");
            [policy.name.as_str(), startup, policy.state.name()]
                .iter()
                .any(|text| text.to_lowercase().contains(&wanted))
        });
        let mut rows: Vec<Row> = policies
            .map(|policy| Row {
                policy,
                new_per_s: self.new_per_s(policy),
            })
            .collect();
        let key = self.sort_column().key;
        // A stable sort: equal ones stay in the order of the configuration.
        rows.sort_by(|one, other| match (key(one), key(other)) {
            (Some(one), Some(other)) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
            // What has no value comes last.
            (one, other) => other.is_some().cmp(&one.is_some()),
        });
        if self.is_reversed {
            rows.reverse();
        }
        rows
    }

    /// The place of the selected policy among these; the first if it is not there.
    pub fn selected_of(&self, rows: &[Row]) -> Option<usize> {
        let name = self.selected.as_deref();
        let place = rows
            .iter()
            .position(|row| Some(row.policy.name.as_str()) == name);
        place.or((!rows.is_empty()).then_some(0))
    }

    fn new_per_s(&self, policy: &PolicyCounts) -> Option<f64> {
        let before = self.before.as_ref()?;
        let earlier = before.policy(&policy.name)?;
        let connections =
            |policy: &PolicyCounts| policy.with_startup.connections + policy.control.connections;
        let seconds = self.counts.time_s - before.time_s;
        let new = connections(policy).checked_sub(connections(earlier))?;
        (seconds > 0.0).then(|| new as f64 / seconds)
    }
}
