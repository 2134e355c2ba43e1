//! `onramp model`: what the model of a paper says about a link (docs/model.md).

mod text;

use crate::cli::{Model, ModelArguments};
use onramp_cli::failure::{Failure, BAD_INPUT, DONE};
use onramp_cli::text::out;
use onramp_cli::{print_json, Answer};
use onramp_theory::chaher::{self, Chaher, Invalid};

pub fn run(arguments: &ModelArguments, json: bool) -> Answer {
    let Model::Chaher(arguments) = &arguments.model;
    let answer = Chaher::new(&arguments.question()).map_err(refused)?;
    if json {
        print_json(&answer);
    } else {
        out(format_args!("{}", text::chaher(&answer)));
    }
    Ok(DONE)
}

/// The failure for a link that the model does not cover.
fn refused(invalid: Invalid) -> Failure {
    Failure::new(BAD_INPUT, chaher::refusal(&invalid))
}
