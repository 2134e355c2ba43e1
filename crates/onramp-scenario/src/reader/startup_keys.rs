//! Keys that belong to some start-ups only.

use crate::cases::{TransferDraft, DEFAULT_STARTUP};
use crate::keys::parameters::{parameter_keys, PARAMETERS};
use crate::mistake::{refuse, Mistake};
use onramp_config::document::{Reader, Section};
use onramp_config::key::{Key, Kind, Rate, Size};

/// A start-up by its name.
const QOS: &str = "qos";

/// Refuses a key of one start-up in a table that has another one.
pub(super) fn check_key_of_startup<K>(
    reader: &mut Reader,
    section: &Section,
    key: &Key<K>,
    (startup, only): (&str, &'static str),
    startups: Option<&[String]>,
) {
    let uses_key = |chosen: &str| chosen == startup;
    check_key_of_startups(reader, section, key, only, uses_key, startups);
}

/// Refuses a key of some start-ups in a table that has another one.
pub(super) fn check_key_of_startups<K>(
    reader: &mut Reader,
    section: &Section,
    key: &Key<K>,
    only: &'static str,
    uses_key: impl Fn(&str) -> bool,
    startups: Option<&[String]>,
) {
    let default = [DEFAULT_STARTUP.to_owned()];
    let startups = startups.unwrap_or(&default);
    if let Some(chosen) = startups.iter().find(|chosen| !uses_key(chosen)) {
        refuse(reader, section, key.name(), only, chosen);
    }
}

/// Reads `[transfer.parameters]`. Each of the start-ups has to have every parameter of the table.
pub(super) fn vary_parameters(
    reader: &mut Reader,
    section: &Section,
    startups: Option<&[String]>,
    draft: &mut TransferDraft,
) {
    let table = reader.table(section, &PARAMETERS);
    let default = [DEFAULT_STARTUP.to_owned()];
    for name in PARAMETERS.key_names() {
        if !table.has_name(name) {
            continue;
        }
        let mut values = None;
        for startup in startups.unwrap_or(&default) {
            let mut keys = parameter_keys()
                .iter()
                .filter(|key| key.parameter.key() == name);
            match keys.clone().find(|key| key.startup == startup) {
                Some(key) => values = key.list(reader, &table),
                None => {
                    let only = keys.next().expect("the key is of a start-up").only;
                    refuse(reader, &table, name, only, startup);
                }
            }
        }
        draft.vary(values, move |one, value| {
            let mut own = onramp_core::parameters(&one.startup).iter();
            if let Some(parameter) = own.find(|parameter| parameter.key() == name) {
                let startup = &one.startup;
                one.given.parameters.set(startup, parameter.c_name(), value);
            }
        });
    }
}

/// Checks a reservation: only start-up `qos` has one, and `qos` needs its rate.
pub(super) fn check_reservation(
    reader: &mut Reader,
    section: &Section,
    rate: &Key<Rate>,
    burst: &Key<Size>,
    startups: Option<&[String]>,
) {
    let qos = (QOS, "start-up `qos`");
    check_key_of_startup(reader, section, rate, qos, startups);
    check_key_of_startup(reader, section, burst, qos, startups);
    let has_qos = startups.is_some_and(|startups| startups.iter().any(|startup| startup == QOS));
    if has_qos && !section.has(rate) {
        let mistake = Mistake::NeededFor {
            key: section.path_of(rate),
            chosen: QOS.to_owned(),
            expected: Rate::EXPECTED,
        };
        reader.fault(mistake, section.header.clone());
    }
}
