//! The functions of the module, as `page/src/engine/worker.ts` calls them.

use crate::columns::{Column, Table};
use crate::export::ExportFormat;
use crate::play::{PlayedCase, PlayedRun};
use crate::refusal::Refusal;
use crate::transfer::PlayedTransfer;
use crate::watch::Progress;
use js_sys::{Array, Float64Array, Function, Object, Reflect, Uint32Array, Uint8Array, JSON};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::JsValue;

/// A panic becomes an exception with its message. The worker is terminated then.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        wasm_bindgen::throw_str(&panic.to_string())
    }));
}

/// `Facts` of types.ts.
#[wasm_bindgen]
pub fn describe() -> JsValue {
    json(&crate::program_facts())
}

/// `Check` of types.ts.
#[wasm_bindgen]
pub fn check(scenario: &str) -> JsValue {
    json(&crate::check(scenario))
}

/// `Run` of types.ts, without `elapsedMs`. `report` gets the progress and returns whether the run
/// may go on.
///
/// # Errors
/// A list of `Fault` of types.ts.
#[wasm_bindgen]
pub fn run(scenario: &str, report: &Function) -> Result<JsValue, JsValue> {
    let played = crate::play(scenario, &mut reporter(report)).map_err(faults)?;
    Ok(of_run(&played))
}

/// Completion times of the cases of a repetition, in seconds; `null`: not finished.
///
/// # Errors
/// A list of `Fault` of types.ts.
#[wasm_bindgen(js_name = completionTimes)]
pub fn completion_times(scenario: &str, run: u32, report: &Function) -> Result<JsValue, JsValue> {
    let times = crate::completion_times(scenario, run, &mut reporter(report)).map_err(faults)?;
    Ok(json(&times))
}

/// `ExportedFile` of types.ts.
///
/// # Errors
/// A list of `Fault` of types.ts.
#[wasm_bindgen(js_name = exportFile)]
pub fn export_file(
    scenario: &str,
    format: &str,
    case: usize,
    report: &Function,
) -> Result<JsValue, JsValue> {
    let Some(format) = ExportFormat::named(format) else {
        return Err(faults(Refusal::new(
            format!("no format is called `{format}`"),
            None,
        )));
    };
    let file = crate::export(scenario, format, case, &mut reporter(report)).map_err(faults)?;
    let object: JsValue = Object::new().into();
    set(&object, "name", &file.name.into());
    set(&object, "type", &file.media_type.into());
    set(
        &object,
        "bytes",
        &Uint8Array::from(file.bytes.as_slice()).into(),
    );
    Ok(object)
}

/// A function of JavaScript as one of Rust. A run whose reports fail is stopped.
fn reporter(report: &Function) -> impl FnMut(Progress) -> bool + '_ {
    |progress| {
        let answer = report.call1(&JsValue::NULL, &json(&progress));
        answer.is_ok_and(|answer| answer.is_truthy())
    }
}

fn faults(refusal: Refusal) -> JsValue {
    json(&refusal.0)
}

fn of_run(played: &PlayedRun) -> JsValue {
    let object = json(&played.facts);
    let cases: Array = played.cases.iter().map(of_case).collect();
    set(&object, "cases", &cases.into());
    object
}

fn of_case(case: &PlayedCase) -> JsValue {
    let object = json(&case.facts);
    let transfers: Array = case.transfers.iter().map(of_transfer).collect();
    set(&object, "transfers", &transfers.into());
    set(&object, "packets", &of_table(&case.packets));
    set(&object, "queue", &of_table(&case.queue));
    object
}

fn of_transfer(transfer: &PlayedTransfer) -> JsValue {
    let object = json(&transfer.facts);
    set(&object, "sender", &of_table(&transfer.sender));
    set(&object, "rtt", &of_table(&transfer.rtt));
    set(&object, "segments", &of_table(&transfer.segments));
    set(&object, "receiver", &of_table(&transfer.receiver));
    object
}

fn of_table(table: &Table) -> JsValue {
    let object: JsValue = Object::new().into();
    for (name, column) in table.columns() {
        let array: JsValue = match column {
            Column::F64(values) => Float64Array::from(values.as_slice()).into(),
            Column::U32(values) => Uint32Array::from(values.as_slice()).into(),
            Column::U8(values) => Uint8Array::from(values.as_slice()).into(),
        };
        set(&object, name, &array);
    }
    object
}

/// A value as JavaScript has it after `JSON.parse`.
fn json(value: &impl Serialize) -> JsValue {
    let text = serde_json::to_string(value).expect("keys are text");
    JSON::parse(&text).expect("serde_json writes JSON")
}

fn set(object: &JsValue, name: &str, value: &JsValue) {
    Reflect::set(object, &name.into(), value).expect("a plain object takes any value");
}
