//! Parameters: constants of an algorithm that a user may set (`core/startup.h`). The rows of
//! `core/registry.h` name them.

use crate::bindings::{self, Algorithm, Parameter};
use crate::registry::text;
use crate::STATE_BYTES;

/// The largest number of parameters of an algorithm.
const MAX_PARAMETERS: usize = bindings::MAX_PARAMETERS as usize;

/// The unit of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterUnit {
    /// Nanoseconds.
    Time,
    /// Millionths.
    Share,
    /// A number without a unit.
    Number,
}

// SAFETY: constant data: string literals and numbers.
unsafe impl Sync for Parameter {}

impl Parameter {
    /// Its name in C, whose end is the unit: `thresh_ppm`.
    pub fn c_name(&self) -> &'static str {
        text(self.name)
    }

    /// Its name in scenario files, without the unit: `thresh`.
    pub fn key(&self) -> &'static str {
        let name = self.c_name();
        let without_unit = name.strip_suffix("_ns").or(name.strip_suffix("_ppm"));
        without_unit.unwrap_or(name)
    }

    /// The unit, from the end of the name.
    pub fn unit(&self) -> ParameterUnit {
        match self.c_name() {
            name if name.ends_with("_ns") => ParameterUnit::Time,
            name if name.ends_with("_ppm") => ParameterUnit::Share,
            _ => ParameterUnit::Number,
        }
    }

    /// What it is, in a sentence.
    pub fn meaning(&self) -> &'static str {
        text(self.meaning)
    }
}

/// The parameters of the algorithm with this name; none for an unknown name.
pub fn parameters(startup: &str) -> &'static [Parameter] {
    Algorithm::named(startup).map_or(&[], Algorithm::parameters)
}

impl Algorithm {
    fn parameters(&self) -> &'static [Parameter] {
        // SAFETY: native.c ends each table with a row of zeros, and no row behind it is read.
        let is_row = |at: &usize| unsafe { !(*self.parameters.add(*at)).name.is_null() };
        let count = (0..).take_while(is_row).count();
        // SAFETY: the table has so many rows before its end, and is constant.
        unsafe { core::slice::from_raw_parts(self.parameters, count) }
    }
}

/// Values of the parameters of one algorithm, in the order of its list. The default: every
/// parameter has its default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parameters([Option<u64>; MAX_PARAMETERS]);

impl Parameters {
    /// Sets the parameter of an algorithm with this name in C. False: the algorithm has no such
    /// parameter, or its range does not have the value.
    pub fn set(&mut self, startup: &str, c_name: &str, value: u64) -> bool {
        let mut all = parameters(startup).iter().zip(&mut self.0);
        let Some((parameter, slot)) = all.find(|(one, _)| one.c_name() == c_name) else {
            return false;
        };
        let is_in_range = (parameter.min..=parameter.max).contains(&value);
        if is_in_range {
            *slot = Some(value).filter(|value| *value != parameter.usual);
        }
        is_in_range
    }

    /// The parameters of this algorithm that do not have their defaults, with their values.
    pub fn changed(self, startup: &str) -> impl Iterator<Item = (&'static Parameter, u64)> {
        let all = parameters(startup).iter().zip(self.0);
        all.filter_map(|(parameter, value)| Some((parameter, value?)))
    }

    /// The values of all parameters of this algorithm, in the order of its list.
    pub fn values(self, startup: &str) -> impl Iterator<Item = u64> {
        let all = parameters(startup).iter().zip(self.0);
        all.map(|(parameter, value)| value.unwrap_or(parameter.usual))
    }

    /// Writes the values into the state of a start-up that has not started.
    pub(crate) fn fill(self, algorithm: &Algorithm, state: &mut [u64; STATE_BYTES / 8]) {
        for (parameter, value) in algorithm.parameters().iter().zip(self.0) {
            state[parameter.offset / 8] = value.unwrap_or(parameter.usual);
        }
    }
}
