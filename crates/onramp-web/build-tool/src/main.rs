//! Builds the JavaScript side of a WebAssembly module: what the program `wasm-bindgen` does, in the
//! version that Cargo.lock has.
//!
//! `onramp-web-build MODULE.wasm FOLDER` writes `FOLDER/onramp_web.js`, a JavaScript module for the
//! bundler of the page, and `FOLDER/onramp_web_bg.wasm`.

use std::env;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else {
        eprintln!("usage: onramp-web-build MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name("onramp_web")
        .typescript(false)
        // The page compiles the module and passes it on.
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    let written = bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write the bindings of {module} into {folder}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
