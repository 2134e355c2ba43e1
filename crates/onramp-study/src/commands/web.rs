//! `onramp web`: serves the playground, a folder of static files.

use super::runs;
use crate::cli::WebArguments;
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, HOST_LACKS};
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_hq::file_below;
use onramp_service::http::{Answer as Response, Error, Request, Server};
use serde::Serialize;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

/// The file with which the page begins.
const INDEX: &str = "index.html";

/// The folders of the page beside that of the program: where `make install` and the Debian package
/// put it, and where `make web` builds it.
const FOLDERS: [&str; 2] = ["../share/onramp/web", "../web"];

/// Time between two looks whether the command was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// What `--json` prints.
#[derive(Serialize)]
struct Serving {
    url: String,
    folder: PathBuf,
}

pub fn run(arguments: &WebArguments, json: bool) -> Answer {
    let folder = match &arguments.folder {
        Some(folder) => given(folder)?,
        None => beside_the_program()?,
    };
    let stop = runs::stop_flag();
    let canonical = folder.canonicalize();
    let served = canonical.map_err(|error| unusable(&folder, &error.to_string()))?;
    let respond = move |request: Request<'_>| respond(&served, request.path);
    let server = Server::start("web", &[arguments.listen], None, Arc::new(respond));
    let server = server.map_err(|error| not_served(&error))?;
    let url = format!("http://{}/", server.addresses()[0]);
    match json {
        true => print_json(&Serving { url, folder }),
        false => say!("The playground is at {url} until Ctrl-C."),
    }
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
    Ok(DONE)
}

fn has_page(folder: &Path) -> bool {
    folder.join(INDEX).is_file()
}

fn given(folder: &Path) -> Result<PathBuf, Failure> {
    if has_page(folder) {
        return Ok(folder.to_owned());
    }
    let what = match folder.is_dir() {
        true => &format!("it has no {INDEX}"),
        false => "it is not a folder",
    };
    Err(unusable(folder, what))
}

fn unusable(folder: &Path, what: &str) -> Failure {
    let message = format!(
        "--folder {}: {what}; expected the folder that `make web` builds",
        folder.display()
    );
    Failure::new(BAD_INPUT, message)
}

fn beside_the_program() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().and_then(fs::canonicalize);
    let bin = program
        .ok()
        .and_then(|program| Some(program.parent()?.to_owned()));
    let folders = bin
        .iter()
        .flat_map(|bin| FOLDERS.map(|folder| bin.join(folder)));
    folders
        .into_iter()
        .find(|folder| has_page(folder))
        .ok_or_else(|| {
            let message =
                "the page is not there: build it with `make web`, or name its folder with \
                       --folder";
            Failure::new(HOST_LACKS, message)
        })
}

fn not_served(error: &Error) -> Failure {
    let advice = match error {
        Error::Listen { error, .. } if error.kind() == ErrorKind::AddrInUse => {
            ": another program uses this port; choose another one with --listen"
        }
        _ => "",
    };
    Failure::new(HOST_LACKS, format!("cannot {error}{advice}"))
}

/// The file at a path. The page has no folders, so a name with a slash is not there. The folder is
/// canonical, and a link must stay in it.
fn respond(folder: &Path, path: &str) -> Response {
    let missing = || Response::not_found("There is no such file; the page is at /.\n");
    let name = match path.strip_prefix('/') {
        Some("") => INDEX,
        Some(name) => name,
        None => return missing(),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ['.', '-', '_'].contains(&c);
    if name.starts_with('.') || !name.chars().all(is_plain) {
        return missing();
    }
    let Some(content_type) = content_type(name) else {
        return missing();
    };
    let file = file_below(folder, Path::new(name)).ok();
    match file.map(fs::read) {
        Some(Ok(bytes)) => Response::new(content_type, bytes),
        _ => missing(),
    }
}

/// The media type of a file by its extension.
fn content_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_files_of_the_folder_are_served() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("page");
        fs::create_dir_all(folder.join("inner.js")).unwrap();
        for name in [
            "page/index.html",
            "page/onramp.js",
            "page/.secret.js",
            "secret.js",
        ] {
            fs::write(outer.path().join(name), name).unwrap();
        }
        symlink("../secret.js", folder.join("link.js")).unwrap();
        symlink("onramp.js", folder.join("inside.js")).unwrap();
        let folder = folder.canonicalize().unwrap();
        let found = |path: &str| {
            let response = respond(&folder, path);
            response
                .is_found
                .then_some((response.content_type, response.body))
        };
        let html = "text/html; charset=utf-8";
        assert_eq!(found("/"), Some((html, "page/index.html".into())));
        assert_eq!(found("/index.html"), Some((html, "page/index.html".into())));
        let js = "text/javascript; charset=utf-8";
        assert_eq!(found("/onramp.js"), Some((js, "page/onramp.js".into())));
        assert_eq!(found("/inside.js"), Some((js, "page/onramp.js".into())));
        for path in [
            "/link.js",
            "/../secret.js",
            "/..%2fsecret.js",
            "/%2e%2e/secret.js",
            "//secret.js",
            "/..\\secret.js",
            "/.secret.js",
            "/inner.js",
            "/inner.js/",
            "/missing.js",
            "/index",
            "",
            "*",
        ] {
            assert_eq!(found(path), None, "{path}");
        }
    }
}
