//! Results of runs that several measurements share: an alternative leaves most senders of some
//! parts as they are. Runs that differ in their transfer alone share their beginning.

use crate::Watch;
use onramp_scenario::{Case, Train, NO_STARTUP};
use onramp_sim::{beginning_key, Beginning};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A case, and the type of the result that was taken from its run. One type stands for one way of
/// taking it.
type Key = (TypeId, String);

type Place = Arc<OnceLock<Box<dyn Any + Send + Sync>>>;

/// The results so far. Each case runs once, whichever thread asks first.
#[derive(Default)]
pub(crate) struct Memo {
    places: Mutex<HashMap<Key, Place>>,
    beginnings: Mutex<HashMap<String, Begun>>,
}

/// A beginning, or why it could not be simulated.
type Begun = Arc<OnceLock<Result<Beginning<Watch>, onramp_sim::Error>>>;

impl Memo {
    /// The result of the case: from an earlier run, or from `run`.
    pub fn get<T: Clone + Send + Sync + 'static>(&self, case: &Case, run: impl FnOnce() -> T) -> T {
        let key = (TypeId::of::<T>(), text(case));
        let place = {
            let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(places.entry(key).or_default())
        };
        let result = place.get_or_init(|| Box::new(run()));
        let result: &T = result.downcast_ref().expect("the key has its type");
        result.clone()
    }

    /// The place of the beginning that the case, observed by this watch, shares with others; `None`
    /// if it shares none.
    pub fn beginning(&self, case: &Case, watch: &Watch) -> Option<Begun> {
        let key = format!("{} {watch:?}", beginning_key(case)?);
        let mut beginnings = self
            .beginnings
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(beginnings.entry(key).or_default()))
    }
}

/// The case without keys that do not concern it: how a start-up measures ACK trains, where there is
/// no start-up.
fn text(case: &Case) -> String {
    let mut case = case.clone();
    if case.transfer.startup == NO_STARTUP {
        case.transfer.train = Train::default();
    }
    format!("{case:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn case(startup: &str, train: &str) -> Case {
        let text = "name = \"a\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"9 ms\"\n\
                    [[transfer]]\nsize = \"1 MB\"\n";
        let settings = Settings::of([("transfer.startup", startup), ("transfer.train", train)]);
        settings.apply(text).cases.remove(0)
    }

    #[test]
    fn an_equal_case_runs_once() {
        let memo = Memo::default();
        assert_eq!(memo.get(&case("astart", "line"), || 1), 1);
        assert_eq!(memo.get(&case("astart", "line"), || 2), 1);
        assert_eq!(memo.get(&case("astart", "latest"), || 3), 3);
        assert_eq!(
            memo.get(&case("astart", "line"), || "another type"),
            "another type"
        );
    }

    #[test]
    fn trains_do_not_concern_a_sender_without_a_startup() {
        let memo = Memo::default();
        assert_eq!(memo.get(&case("none", "line"), || 1), 1);
        assert_eq!(memo.get(&case("none", "latest"), || 2), 1);
    }
}
