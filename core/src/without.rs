//! What start-up `onramp` can do without: each of its ideas can be switched off, to measure what
//! the idea contributes.

use crate::bindings;

/// An idea that is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Without {
    /// The idea's name, as in scenario files.
    pub name: &'static str,
    /// The bit of [`Start::options`](crate::Start::options) that switches it off; 0: no idea.
    pub option: u32,
}

const fn without(name: &'static str, option: u32) -> Without {
    Without { name, option }
}

impl Without {
    /// No idea is switched off.
    pub const NOTHING: Without = without("nothing", 0);

    /// Nothing, and then each idea, in the order in which they take effect.
    pub const ALL: [Without; 15] = [
        Without::NOTHING,
        without("measuring", bindings::OPTION_WITHOUT_MEASURING),
        without("clock", bindings::OPTION_WITHOUT_CLOCK),
        without("probing", bindings::OPTION_WITHOUT_PROBING),
        without("line", bindings::OPTION_WITHOUT_LINE),
        without("noise", bindings::OPTION_WITHOUT_NOISE),
        without("sharing", bindings::OPTION_WITHOUT_SHARING),
        without("spacing", bindings::OPTION_WITHOUT_SPACING),
        without("validating", bindings::OPTION_WITHOUT_VALIDATING),
        without("easing", bindings::OPTION_WITHOUT_EASING),
        without("raising", bindings::OPTION_WITHOUT_RAISING),
        without("delay", bindings::OPTION_WITHOUT_DELAY),
        without("resting", bindings::OPTION_WITHOUT_RESTING),
        without("repacing", bindings::OPTION_WITHOUT_REPACING),
        without("retreat", bindings::OPTION_WITHOUT_RETREAT),
    ];

    /// The idea's name, as in scenario files.
    pub fn name(self) -> &'static str {
        self.name
    }
}

impl Default for Without {
    fn default() -> Without {
        Without::NOTHING
    }
}
