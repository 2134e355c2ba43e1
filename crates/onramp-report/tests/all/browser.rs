//! Pages in a browser: nothing is wider than the window, and every part opens.
//!
//! These tests need Chromium (the package `chromium`).

use crate::sweep;

use onramp_report::page;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Widths of the window, in CSS pixels: of a laptop and of a phone.
const WIDTHS: [u32; 2] = [1280, 390];

fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut all = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
    all.find(|program| program.is_file())
}

/// What a browser finds on a page that is as wide as this.
#[derive(Debug, serde::Deserialize)]
struct Found {
    /// Width of the window and of everything on the page.
    window: u32,
    page: u32,
    /// Number of parts that open on demand, and of those that did.
    parts: usize,
    opened: usize,
    /// Elements with visible text that a part showed after it was opened.
    shown: usize,
    /// Time from the page's text to its first layout, in milliseconds. It is printed: a busy
    /// machine takes longer.
    layout_ms: f64,
}

/// Opens the page in a frame of this width, then each of its parts.
fn opened(chromium: &Path, html: &str, width: u32) -> Found {
    let dir = tempfile::tempdir().unwrap();
    let text = serde_json::to_string(html).unwrap().replace("</", "<\\/");
    let wrapper = format!(
        r#"<!DOCTYPE html><meta charset="utf-8"><body><script>
        const page = {text};
        const frame = document.createElement("iframe");
        frame.width = {width}; frame.height = 900; frame.style.border = 0;
        const begin = performance.now();
        frame.onload = () => {{
            const inside = frame.contentDocument;
            const width = () => inside.documentElement.scrollWidth;
            const first = width();
            const layout_ms = performance.now() - begin;
            const parts = [...inside.querySelectorAll("details")];
            parts.forEach(part => part.firstElementChild.click());
            const found = {{
                window: frame.clientWidth, page: Math.max(first, width()), parts: parts.length,
                opened: parts.filter(part => part.open).length,
                shown: parts.filter(part => part.lastElementChild.offsetHeight > 0).length,
                layout_ms,
            }};
            document.body.textContent = JSON.stringify(found);
        }};
        frame.srcdoc = page;
        document.body.append(frame);
        </script></body>"#
    );
    let file = dir.path().join("wrapper.html");
    fs::write(&file, wrapper).unwrap();
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
            "--disable-dev-shm-usage",
        ])
        // The time of the page stands still while the browser works, so that a slow machine
        // changes nothing.
        .arg("--virtual-time-budget=60000")
        .arg(format!(
            "--user-data-dir={}",
            dir.path().join("profile").display()
        ))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let json = dom
        .split("<body>")
        .nth(1)
        .and_then(|rest| rest.split("</body>").next());
    serde_json::from_str(json.unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {dom:.2000} {output:?}"))
}

/// Checks a page at all widths.
fn check(name: &str, html: &str) {
    let chromium = chromium().expect("Chromium (package `chromium`) is installed");
    for width in WIDTHS {
        let found = opened(&chromium, html, width);
        let (kilobytes, ms) = (html.len() / 1000, found.layout_ms);
        eprintln!("{name}, {kilobytes} kB, at {width} px: laid out after {ms:.0} ms");
        assert_eq!(found.window, width);
        assert!(
            found.page <= width,
            "{name} is wider than the window: {found:?}"
        );
        assert_eq!(
            [found.opened, found.shown],
            [found.parts; 2],
            "{name}: {found:?}"
        );
    }
}

#[test]
#[ignore = "needs Chromium: make test-web"]
fn a_sweep_fits_into_a_laptop_and_into_a_phone() {
    check("a sweep", &page(&sweep::meta(), &sweep::runs(5_040)));
}

#[test]
#[ignore = "needs Chromium: make test-web"]
fn a_few_traced_transfers_fit_too() {
    check("traced transfers", &page(&sweep::meta(), &sweep::traced()));
}
