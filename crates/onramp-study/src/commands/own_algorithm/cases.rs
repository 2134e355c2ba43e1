//! What is run: the paths, with the user's algorithm and with others.

use super::header::Header;
use crate::cli::TryArguments;
use crate::commands::runs;
use onramp_cli::failure::{Failure, BAD_INPUT};
use onramp_core::{Parameter, ParameterUnit, Parameters};
use onramp_scenario::units::{parse_percent, parse_time};
use onramp_scenario::{format_parameter, parse, Case, Scenario};

/// The paths where the user names no scenario.
const PATHS: &str = include_str!("paths.toml");

/// The scenarios of the user, or the usual one.
pub fn scenarios(arguments: &TryArguments) -> Result<Vec<Scenario>, Failure> {
    if arguments.scenarios.is_empty() {
        return Ok(vec![parse("paths.toml", PATHS).expect("a test reads it")]);
    }
    runs::read(&arguments.scenarios)
}

/// The cases of the scenarios, each with the algorithm and with those beside it. A scenario that
/// names the algorithm runs as it is, but for the parameters.
pub fn cases(
    scenarios: &[Scenario],
    name: &str,
    parameters: Parameters,
    arguments: &TryArguments,
) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for scenario in scenarios {
        let names_it = scenario.cases.iter().any(|case| is_own(case, name));
        for case in &scenario.cases {
            if names_it {
                cases.push(case.clone());
                continue;
            }
            // Parameters of another start-up are not those of this one.
            let mut plain = case.clone();
            plain.transfer.given.parameters = Parameters::default();
            let own = plain.with_startup(name);
            let beside = arguments.beside.iter().map(|one| one.applied_to(&plain));
            for case in beside.chain([own]) {
                if !cases.contains(&case) {
                    cases.push(case);
                }
            }
        }
    }
    if !arguments.set.is_empty() {
        for case in cases.iter_mut().filter(|case| is_own(case, name)) {
            case.transfer.given.parameters = parameters;
        }
    }
    cases
}

/// Whether the measured transfer of a case begins with the algorithm.
pub fn is_own(case: &Case, name: &str) -> bool {
    case.transfer.startup == name
}

/// The values of `--set`.
pub fn parameters(header: &Header, arguments: &TryArguments) -> Result<Parameters, Failure> {
    let mut parameters = Parameters::default();
    for (key, value) in &arguments.set {
        set(&header.name, key, value, &mut parameters)
            .map_err(|reason| Failure::new(BAD_INPUT, format!("--set {key}={value}: {reason}")))?;
    }
    Ok(parameters)
}

fn set(name: &str, key: &str, value: &str, parameters: &mut Parameters) -> Result<(), String> {
    let all = onramp_core::parameters(name);
    let Some(parameter) = all.iter().find(|one| one.key() == key) else {
        let keys: Vec<&str> = all.iter().map(Parameter::key).collect();
        return Err(match keys.as_slice() {
            [] => format!("{name}.h declares no parameter (docs/add-an-algorithm.md)"),
            keys => format!(
                "{name}.h has no parameter `{key}`; it has: {}",
                keys.join(", ")
            ),
        });
    };
    let number = match parameter.unit() {
        ParameterUnit::Time => parse_time(value).map_err(|error| error.to_string())?,
        ParameterUnit::Share => parse_percent(value)
            .map_err(|error| error.to_string())?
            .into(),
        ParameterUnit::Number => value
            .parse()
            .map_err(|_| "expected an integer".to_owned())?,
    };
    if !parameters.set(name, parameter.c_name(), number) {
        let [min, max] = [parameter.min, parameter.max].map(|end| format_parameter(parameter, end));
        return Err(format!("expected a value from {min} to {max}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_paths_are_a_scenario() {
        assert_eq!(parse("paths.toml", PATHS).unwrap().cases.len(), 8);
    }
}
