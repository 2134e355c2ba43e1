//! What start-up `onramp` can do without: each of its ideas can be switched off, to see what it
//! contributes.

/// An idea that is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Without {
    /// Its name, as scenario files have it.
    pub name: &'static str,
    /// In [`Start::options`](crate::Start::options): the bit of `core/startup.h` that switches it
    /// off.
    pub option: u32,
}

impl Without {
    /// All ideas are there.
    pub const NOTHING: Without = Without {
        name: "nothing",
        option: 0,
    };

    /// Nothing, and then each idea, in the order in which they come into play.
    pub const ALL: [Without; 13] = [
        Without::NOTHING,
        Without {
            name: "measuring",
            option: 1 << 5,
        },
        Without {
            name: "line",
            option: 1 << 6,
        },
        Without {
            name: "noise",
            option: 1 << 17,
        },
        Without {
            name: "sharing",
            option: 1 << 7,
        },
        Without {
            name: "spacing",
            option: 1 << 8,
        },
        Without {
            name: "validating",
            option: 1 << 9,
        },
        Without {
            name: "easing",
            option: 1 << 10,
        },
        Without {
            name: "raising",
            option: 1 << 11,
        },
        Without {
            name: "delay",
            option: 1 << 12,
        },
        Without {
            name: "resting",
            option: 1 << 13,
        },
        Without {
            name: "repacing",
            option: 1 << 14,
        },
        Without {
            name: "retreat",
            option: 1 << 15,
        },
    ];

    /// The name that scenario files use.
    pub fn name(self) -> &'static str {
        self.name
    }
}

impl Default for Without {
    fn default() -> Without {
        Without::NOTHING
    }
}
