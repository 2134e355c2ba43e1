//! How names are read.

use crate::document::{integer, Node};
use crate::keys::Key;
use crate::units::{nearest, shown};
use crate::Mistake;
use crate::{Avoidance, Connections, Distribution, NO_STARTUP};

/// More names than this are not listed.
const MOST_NAMES: usize = 20;

/// The name of a scenario or node.
pub(super) fn file_name(what: &'static str) -> impl Fn(&Key, &str) -> Result<String, Mistake> {
    move |_, text| {
        let is_good = (1..=64).contains(&text.len())
            && !text.starts_with('-')
            && text
                .bytes()
                .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        is_good
            .then(|| text.to_owned())
            .ok_or_else(|| Mistake::BadName {
                what,
                found: shown(text),
            })
    }
}

pub(super) fn any_text(_: &Key, text: &str) -> Result<String, Mistake> {
    Ok(text.to_owned())
}

/// The row of each table that is no transfer.
const BOUND: &str = "bound";

/// What a table calls a row.
pub(super) fn label(_: &Key, text: &str) -> Result<String, Mistake> {
    let is_good = (1..=40).contains(&text.chars().count())
        && text.trim() == text
        && !text.contains(char::is_control);
    let is_good = is_good && text != BOUND;
    is_good
        .then(|| text.to_owned())
        .ok_or_else(|| Mistake::BadLabel { found: shown(text) })
}

/// `true` or `false`; the text has been a boolean of TOML.
pub(super) fn boolean(_: &Key, text: &str) -> Result<bool, Mistake> {
    Ok(text == "true")
}

/// One of these names.
pub(super) fn word(
    names: &'static [&'static str],
) -> impl Fn(&Key, &str) -> Result<&'static str, Mistake> {
    move |key, text| {
        names
            .iter()
            .copied()
            .find(|name| *name == text)
            .ok_or_else(|| unknown_name(names.iter().copied(), key, text))
    }
}

/// The one of these that has this name.
pub(super) fn choice<T: Copy>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl Fn(&Key, &str) -> Result<T, Mistake> {
    move |key, text| {
        let chosen = all.iter().copied().find(|one| name(*one) == text);
        chosen.ok_or_else(|| unknown_name(all.iter().map(|one| name(*one)), key, text))
    }
}

pub(super) fn avoidance(key: &Key, text: &str) -> Result<Avoidance, Mistake> {
    choice(&Avoidance::ALL, Avoidance::name)(key, text)
}

pub(super) fn distribution(key: &Key, text: &str) -> Result<Distribution, Mistake> {
    choice(&Distribution::ALL, Distribution::name)(key, text)
}

/// [`NO_STARTUP`], or one of these.
pub(super) fn startup<'s>(
    startups: &'s [&'s str],
) -> impl Fn(&Key, &str) -> Result<String, Mistake> + 's {
    move |key, text| {
        let names = std::iter::once(NO_STARTUP).chain(startups.iter().copied());
        let known = names.clone().any(|name| name == text);
        known
            .then(|| text.to_owned())
            .ok_or_else(|| unknown_name(names, key, text))
    }
}

/// A number of connections, or the word; the text may have been either in TOML.
pub(super) fn connections(key: &Key, text: &str) -> Result<Connections, Mistake> {
    match text {
        "adaptive" => Ok(Connections::Adaptive),
        text if text.starts_with(|first: char| first.is_ascii_digit() || first == '-') => {
            integer(key, text).map(Connections::Fixed)
        }
        text => Err(match unknown_name(["adaptive"].into_iter(), key, text) {
            Mistake::UnknownName {
                key: path,
                found,
                nearest,
                mut accepted,
            } => {
                accepted.push(format!("and numbers without quotes, {}", key.range()));
                Mistake::UnknownName {
                    key: path,
                    found,
                    nearest,
                    accepted,
                }
            }
            other => other,
        }),
    }
}

/// A node by its name.
pub(super) fn node<'n>(nodes: &'n [String]) -> impl Fn(&Key, &str) -> Result<Node, Mistake> + 'n {
    move |key, text| {
        let known = nodes.iter().position(|node| node == text).map(Node);
        known.ok_or_else(|| unknown_name(nodes.iter().map(String::as_str), key, text))
    }
}

fn unknown_name<'n>(
    names: impl Iterator<Item = &'n str> + Clone,
    key: &Key,
    text: &str,
) -> Mistake {
    let mut accepted: Vec<_> = names
        .clone()
        .take(MOST_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    let left_out = names.clone().count().saturating_sub(MOST_NAMES);
    if left_out > 0 {
        accepted.push(format!("and {left_out} others"));
    }
    Mistake::UnknownName {
        key: key.path(),
        found: shown(text),
        nearest: nearest(text, names).map(str::to_owned),
        accepted,
    }
}
