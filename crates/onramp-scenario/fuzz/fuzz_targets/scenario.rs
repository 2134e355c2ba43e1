//! Any text as a scenario file: the text is read, or every mistake in it can be shown.
#![no_main]

use libfuzzer_sys::{fuzz_target, Corpus};
use onramp_scenario::{parse, Error};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Corpus::Reject;
    };
    match parse("fuzz.toml", text) {
        Ok(scenario) => assert!((1..=100_000).contains(&scenario.cases.len())),
        Err(error) => shown(text, &error),
    }
    Corpus::Keep
});

/// Shows an error as the command line does, with the lines that it points at.
fn shown(text: &str, error: &Error) {
    // Showing a report takes four times as long as finding the mistakes, so show only some.
    if text.len().is_multiple_of(16) {
        assert!(!error.report_of_width(80, false).is_empty());
    }
    let invalid = error.invalid().expect("the text was short");
    assert!(!invalid.faults().is_empty());
    for fault in invalid.faults() {
        assert_eq!(invalid.line_column(fault).is_some(), fault.span.is_some());
        if let Some(span) = &fault.span {
            assert!(text.get(span.clone()).is_some(), "{span:?} of {text:?}");
        }
    }
}
