//! `onramp model`: what a paper's model says of a link (docs/model.md).

mod answer;
mod arguments;
mod cautions;
mod text;

pub use arguments::ModelArguments;

use super::{print_json, Answer};
use crate::failure::{Failure, BAD_INPUT, DONE};
use crate::text::out;
use answer::Chaher;
use arguments::Model;
use onramp_model::double_slow_start::Invalid;

pub fn run(arguments: &ModelArguments, json: bool) -> Answer {
    let Model::Chaher(arguments) = &arguments.model;
    let answer = Chaher::new(arguments)?;
    if json {
        print_json(&answer);
    } else {
        out(format_args!("{}", text::chaher(&answer)));
    }
    Ok(DONE)
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Failure {
        Failure::new(
            BAD_INPUT,
            format!("the model does not cover this: {invalid}"),
        )
    }
}
