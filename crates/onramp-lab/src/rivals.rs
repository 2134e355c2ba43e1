//! The traffic of a run. Transfers that all start at once are made before the run; those that
//! arrive one by one are made shortly before their time comes, and their sockets go when they are
//! over: there may be any number of them, as long as not too many are under way together.

use crate::clock::now_ns;
use crate::layout::Layout;
use crate::maker::{control_of, Maker};
use crate::progress::{Measured, Progress};
use crate::supports::{rival, MOST_FLOWS};
use crate::work::{Flow, FlowState, PreparedFlow};
use crate::{Error, Startups, Wanted};
use onramp_scenario::{Arrival, Arrivals, InitialWindow, Memory};
use std::sync::Arc;

/// How long before its start a transfer is made: much longer than it takes, and than the run is
/// looked at.
const AHEAD_NS: u64 = 200_000_000;

/// The traffic of a run.
pub struct Rivals<'a> {
    maker: &'a Maker<'a>,
    layout: &'a Layout,
    tables: Vec<Table>,
    /// Most transfers of a table that arrive one by one and are under way together.
    most: u64,
    prepared: Vec<(usize, Arrival, PreparedFlow)>,
    under_way: Vec<Rival>,
    /// Of those whose sockets have gone: what was measured, and what is known of the others.
    measured: Vec<MeasuredRival>,
    over: Vec<Arc<FlowState>>,
}

/// One of the case's traffic.
struct Table {
    control: String,
    arrivals: Arrivals,
    arrive_one_by_one: bool,
    is_measured: bool,
    under_way: u64,
}

/// A transfer that has started, or will shortly.
struct Rival {
    table: usize,
    arrival: Arrival,
    flow: Flow,
    /// Of one that is measured.
    progress: Option<Progress>,
}

/// One of the transfers of measured traffic.
pub struct MeasuredRival {
    /// The case's traffic to which it belongs.
    pub traffic: usize,
    /// When it was to start, and its size.
    pub arrival: Arrival,
    /// What became of it.
    pub measured: Measured,
}

impl<'a> Rivals<'a> {
    /// Those of the case, before the run, where there is room for so many flows beside those that
    /// are certain.
    pub fn new(
        maker: &'a Maker<'a>,
        layout: &'a Layout,
        room: u64,
        startups: &mut dyn Startups,
    ) -> Result<Rivals<'a>, Error> {
        let mut tables = Vec::new();
        for (number, traffic) in (0..).zip(maker.case.traffic.iter()) {
            let transfers = rival(traffic)?;
            tables.push(Table {
                control: control_of(
                    startups,
                    &Wanted {
                        startup: &transfers.startup,
                        avoidance: transfers.avoidance,
                        initial_window: InitialWindow::Host,
                        memory: Memory::Off,
                        packet_pairs: maker.case.sender.packet_pairs,
                    },
                )?,
                arrivals: Arrivals::of_traffic(maker.case, number)
                    .expect("the lab's traffic is made of transfers"),
                arrive_one_by_one: transfers.arrivals.is_some(),
                is_measured: traffic.measured,
                under_way: 0,
            });
        }
        let (prepared, under_way, measured, over) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let most = room.min(MOST_FLOWS.into());
        let mut rivals = Rivals {
            maker,
            layout,
            tables,
            most,
            prepared,
            under_way,
            measured,
            over,
        };
        rivals.prepare(AHEAD_NS, startups)?;
        Ok(rivals)
    }

    /// Lets start at its time what has been prepared for a run that began then.
    pub fn start(&mut self, begin_ns: u64) {
        for (table, arrival, flow) in self.prepared.drain(..) {
            let start_ns = begin_ns.saturating_add(arrival.start_ns);
            let progress = self.tables[table]
                .is_measured
                .then(|| Progress::from(start_ns));
            let flow = flow.start(begin_ns, arrival.start_ns);
            self.under_way.push(Rival {
                table,
                arrival,
                flow,
                progress,
            });
        }
    }

    /// Looks at all that is under way, closes what is over and starts what is next.
    pub fn look(
        &mut self,
        begin_ns: u64,
        startups: &mut dyn Startups,
        patience_ns: u64,
    ) -> Result<(), Error> {
        let now = now_ns();
        for rival in &mut self.under_way {
            if let Some(error) = rival.flow.take_error() {
                return Err(error);
            }
            if let Some(progress) = &mut rival.progress {
                progress.look(
                    &rival.flow.state,
                    rival.arrival.size_bytes,
                    now,
                    patience_ns,
                )?;
            }
        }
        for rival in self.under_way.extract_if(.., |rival| rival.flow.is_over()) {
            self.tables[rival.table].under_way -= 1;
            match rival.measured(begin_ns, u64::MAX) {
                Some(measured) => self.measured.push(measured),
                None => self.over.push(rival.flow.state.clone()),
            }
            rival.flow.close();
        }
        self.prepare(
            now.saturating_sub(begin_ns).saturating_add(AHEAD_NS),
            startups,
        )?;
        self.start(begin_ns);
        Ok(())
    }

    /// Everything measured is complete or broken off, and nothing measured is still to start.
    pub fn are_done(&self) -> bool {
        let is_exhausted = |table: &Table| !table.is_measured || table.arrivals.next_ns().is_none();
        let is_done = |rival: &Rival| rival.progress.as_ref().is_none_or(Progress::is_done);
        self.tables.iter().all(is_exhausted) && self.under_way.iter().all(is_done)
    }

    /// Those of measured traffic that started before the end of the run, in order of their starts,
    /// and what is known of the others.
    pub fn take(
        &mut self,
        begin_ns: u64,
        end_ns: u64,
    ) -> (Vec<MeasuredRival>, Vec<Arc<FlowState>>) {
        let mut measured = std::mem::take(&mut self.measured);
        measured.extend(
            self.under_way
                .iter()
                .filter_map(|rival| rival.measured(begin_ns, end_ns)),
        );
        measured.retain(|rival| begin_ns.saturating_add(rival.arrival.start_ns) <= end_ns);
        measured.sort_by_key(|rival| (rival.arrival.start_ns, rival.traffic));
        let mut others = std::mem::take(&mut self.over);
        let unmeasured = self
            .under_way
            .iter()
            .filter(|rival| rival.progress.is_none());
        others.extend(unmeasured.map(|rival| rival.flow.state.clone()));
        (measured, others)
    }

    /// The flows that are not over.
    pub fn into_flows(self) -> impl Iterator<Item = Flow> {
        self.under_way.into_iter().map(|rival| rival.flow)
    }

    /// Prepares what starts by this time of the run, and all that starts at once.
    fn prepare(&mut self, until_ns: u64, startups: &mut dyn Startups) -> Result<(), Error> {
        for (number, table) in self.tables.iter_mut().enumerate() {
            let is_due = |next_ns: &u64| !table.arrive_one_by_one || *next_ns <= until_ns;
            while table.arrivals.next_ns().filter(is_due).is_some() {
                let Some(arrival) = table.arrivals.next() else {
                    break;
                };
                table.under_way += 1;
                if table.arrive_one_by_one && table.under_way > self.most {
                    let (under_way, time_s) = (table.under_way, arrival.start_ns as f64 / 1e9);
                    return Err(Error::Arrivals {
                        under_way,
                        most: self.most,
                        time_s,
                    });
                }
                let ends = self.layout.rival(number);
                let flow =
                    self.maker
                        .rival(number, &table.control, ends, arrival.size_bytes, startups)?;
                self.prepared.push((number, arrival, flow));
            }
        }
        Ok(())
    }
}

impl Rival {
    /// What has become of it by that time, if it is measured.
    fn measured(&self, begin_ns: u64, end_ns: u64) -> Option<MeasuredRival> {
        let start_ns = begin_ns.saturating_add(self.arrival.start_ns);
        let measured = self
            .progress
            .as_ref()?
            .finish(self.flow.state.clone(), start_ns, end_ns);
        Some(MeasuredRival {
            traffic: self.table,
            arrival: self.arrival,
            measured,
        })
    }
}
