//! The simulator's routes. A route ends at a host; `Direction` says what the host receives there.

use crate::observe::Direction;

/// One position of a route: a link or a host.
pub(crate) type Hop = onramp_scenario::Place<Direction>;
/// All routes of a run.
pub(crate) type Routes = onramp_scenario::Routes<Direction>;
