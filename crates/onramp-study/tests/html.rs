//! Pages of ours.

/// Asserts that our HTML is XML but for these constructs, which are replaced.
pub fn well_formed(html: &str) {
    let xml = html.replace("<!DOCTYPE html>\n", "");
    let xml = xml
        .replace("<meta charset=\"utf-8\">", "")
        .replace("scale=1\">", "scale=1\"/>");
    roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}"));
}
