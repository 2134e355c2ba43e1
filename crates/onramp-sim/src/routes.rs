//! The routes of the simulator's packets: [`onramp_scenario::Routes`] that end at hosts, which
//! receive data, ACKs or datagrams.

use crate::observe::Direction;

/// One position of a route: a link or a host.
pub(crate) type Hop = onramp_scenario::Place<Direction>;
/// All routes of a run.
pub(crate) type Routes = onramp_scenario::Routes<Direction>;
