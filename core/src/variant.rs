//! Variants of algorithms: the values of the scenario keys `train`, `without` and `search`. The
//! rows of `core/registry.h` name them, and the headers of the algorithms define their bits.

use crate::bindings::Variant;
use crate::registry::algorithms;
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;

impl Variant {
    /// The variants in an algorithm's row, which ends with one that has no key.
    fn all_of(first: *const Variant) -> impl Iterator<Item = &'static Variant> {
        (0..)
            // SAFETY: native.c ends each table with a row of zeros, and no row behind it is read.
            .map(move |at| unsafe { &*first.add(at) })
            .take_while(|variant| !variant.key.is_null())
    }

    /// The name, if a value of this key chooses the variant.
    fn name_for(&self, key: &str) -> Option<&'static str> {
        // SAFETY: the rows of native.c have string literals.
        let [own_key, name] = [self.key, self.name].map(|text| unsafe { CStr::from_ptr(text) });
        (own_key.to_str() == Ok(key)).then(|| name.to_str().expect("core/ is written in UTF-8"))
    }
}

/// Defines the values of a scenario key that chooses a variant.
macro_rules! choices {
    ($($(#[$doc:meta])* $choice:ident, $key:literal, $default:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $choice(&'static str);

            impl $choice {
                /// The default, and then the others in the registry's order, each once.
                pub fn all() -> Vec<$choice> {
                    let mut all = vec![$choice::default()];
                    let variants = algorithms().flat_map(|row| Variant::all_of(row.variants));
                    for name in variants.filter_map(|variant| variant.name_for($key)) {
                        if !all.contains(&$choice(name)) {
                            all.push($choice(name));
                        }
                    }
                    all
                }

                /// The one with this name, if there is one.
                pub fn named(name: &str) -> Option<$choice> {
                    $choice::all().into_iter().find(|one| one.0 == name)
                }

                /// The name, as in scenario files.
                pub fn name(self) -> &'static str {
                    self.0
                }

                /// The bits of [`Start::variant`](crate::Start::variant) that choose it for this
                /// algorithm; 0: the default, or the algorithm has no such variant.
                pub fn bits(self, startup: &str) -> u64 {
                    let row = algorithms().find(|row| row.name() == startup);
                    row.into_iter()
                        .flat_map(|row| Variant::all_of(row.variants))
                        .find(|variant| variant.name_for($key) == Some(self.0))
                        .map_or(0, |variant| variant.bits)
                }
            }

            impl Default for $choice {
                fn default() -> $choice {
                    $choice($default)
                }
            }
        )*
    };
}

choices! {
    /// How a start-up derives a rate from ACKs: `line`, `ends` or `closest` from those of a flight
    /// (`core/measure/ack_train.h`), `latest` or `calm` from all (`core/measure/eligible_rate.h`).
    Train, "train", "line";
    /// An idea of `onramp` that is switched off, to measure what it contributes. The ideas are in
    /// the order in which they take effect.
    Without, "without", "nothing";
    /// A version of SEARCH (`core/algorithms/search.h`). The default is the newest draft that
    /// `search` follows, draft-chung-ccwg-search-09.
    SearchVersion, "search", "draft";
}
