//! Where the simulator's packets go: [`onramp_scenario::Routes`], at whose ends are hosts that take
//! data, acknowledgements or datagrams.

use crate::observe::Direction;

/// What is at a place of a route.
pub(crate) type Hop = onramp_scenario::Place<Direction>;
/// All routes.
pub(crate) type Routes = onramp_scenario::Routes<Direction>;
