//! What can be wrong in a scenario file: the facts, and the sentences that are made of them.

mod not_between;

pub use not_between::NotBetween;

use crate::units::UnitError;
use crate::Fault;
use std::fmt;
use std::ops::Range;

/// What can be wrong in a scenario file. Keys are named with their table, as in `path.rate`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Mistake {
    /// Not TOML.
    Syntax { message: String },
    /// No key at all.
    Empty,
    /// A key or table that scenario files do not have there. `belongs` is the table that does have
    /// it, or two.
    UnknownKey {
        key: String,
        table: String,
        nearest: Option<&'static str>,
        belongs: Option<String>,
        accepted: Vec<&'static str>,
    },
    /// A key that has no default is not given.
    MissingKey { key: String, expected: &'static str },
    /// A table that every scenario has is not given.
    MissingTable { table: String },
    /// A value of another type.
    WrongType {
        key: String,
        found: &'static str,
        expected: String,
    },
    /// A list where one value is wanted.
    ListNotAllowed { key: String, lists: Vec<String> },
    /// A list without an element.
    EmptyList { key: String },
    /// A list, or a series of tables, beyond what is sensible.
    TooMany {
        key: String,
        count: usize,
        most: usize,
    },
    /// A list that has one value two times.
    Twice {
        key: String,
        value: String,
        first: Range<usize>,
    },
    /// A quantity that cannot be read.
    Quantity { key: String, error: Box<UnitError> },
    /// A value beyond its least or most.
    OutOfRange {
        key: String,
        found: String,
        range: String,
    },
    /// A name that is not one of those known.
    UnknownName {
        key: String,
        found: String,
        nearest: Option<String>,
        accepted: Vec<String>,
    },
    /// The name of a scenario or node has other characters than tables and file names can take.
    BadName { what: &'static str, found: String },
    /// `path.reverse.delay` is more than one of the round trips.
    DelayBeyondRtt { delay: String, rtt: String },
    /// Two `[[transfer]]` tables ask for the same case.
    RepeatedCase { case: String, first: Range<usize> },
    /// A label that no table could show.
    BadLabel { found: String },
    /// A label of a `[[transfer]]` table whose lists make several rows.
    LabelOfSeveral { label: String, rows: usize },
    /// Two `[[transfer]]` tables of one label.
    SameLabel { label: String, first: Range<usize> },
    /// A key or table that means nothing without another.
    NeedsOther { key: String, other: String },
    /// Two keys or tables of which a scenario has one.
    Excludes {
        key: String,
        other: String,
        other_at: Range<usize>,
    },
    /// A key or table that is of another choice than the one made.
    NotFor {
        key: String,
        only: &'static str,
        chosen: String,
    },
    /// A key that the choice made has to have.
    NeededFor {
        key: String,
        chosen: String,
        expected: &'static str,
    },
    /// A threshold in another unit than the queue whose threshold it is.
    OtherUnit { key: String, queue: String },
    /// A queue of `fq-codel` in bytes.
    NotInPackets { key: String, found: String },
    /// A lower threshold that is not below the upper one.
    NotBelow {
        key: String,
        found: String,
        other: String,
        most: String,
    },
    /// A token bucket that no packet of the largest size passes.
    SmallBurst {
        key: String,
        found: String,
        mtu: String,
    },
    /// A rate that each flow is guaranteed, beyond what the link carries.
    LargeGuarantee {
        key: String,
        found: String,
        rate: String,
    },
    /// A packet of traffic that is larger than its way takes.
    LargePacket {
        key: String,
        found: String,
        mtu: String,
    },
    /// A change that is not later than the one before it.
    NotLater { key: String },
    /// A change without anything that changes.
    NoChange { keys: &'static str },
    /// Two nodes of one name.
    SameName { name: String, first: Range<usize> },
    /// A link or flow from a node to itself.
    SameNode { what: &'static str, node: String },
    /// No links lead from a sender to its receiver.
    NoRoute { from: String, to: String },
    /// A relay that is not between the ends of a flow, in the place that it is given.
    NotBetween {
        node: String,
        from: String,
        to: String,
        way: Vec<String>,
        why: NotBetween,
    },
    /// All links on the way have no delay.
    NoDelay { from: String, to: String },
    /// Traffic stops before it starts.
    StopsFirst,
    /// Measured traffic for whose end a run would wait for ever.
    NeverEnds,
    /// The cross product of all lists is too large.
    TooManyCases { cases: u128, most: u64 },
}

impl Mistake {
    pub(crate) fn at(self, span: Range<usize>) -> Fault {
        Fault {
            mistake: self,
            span: Some(span),
            place: None,
        }
    }

    pub(crate) fn nowhere(self) -> Fault {
        Fault {
            mistake: self,
            span: None,
            place: None,
        }
    }

    pub(crate) fn label(&self) -> String {
        match self {
            Mistake::UnknownKey {
                nearest: Some(nearest),
                ..
            } => format!("did you mean `{nearest}`?"),
            Mistake::UnknownKey { table, .. } => format!("not a key of {table}"),
            Mistake::MissingKey { key, .. } => {
                format!("`{}` is missing in this table", last(key))
            }
            Mistake::WrongType { found, .. } => format!("found {found}"),
            Mistake::ListNotAllowed { .. } => "found a list".to_owned(),
            Mistake::UnknownName {
                nearest: Some(nearest),
                ..
            } => format!("did you mean `{nearest}`?"),
            Mistake::Twice { .. } => "here again".to_owned(),
            Mistake::RepeatedCase { .. } | Mistake::SameLabel { .. } => {
                "and in this table".to_owned()
            }
            Mistake::SameName { .. } => "here again".to_owned(),
            Mistake::NeedsOther { other, .. } => format!("without `{}`", last(other)),
            Mistake::NeededFor { key, .. } => format!("`{}` is missing in this table", last(key)),
            Mistake::Excludes { .. } => "and this".to_owned(),
            _ => "here".to_owned(),
        }
    }

    pub(crate) fn mend(&self) -> Option<String> {
        match self {
            Mistake::Syntax { message } if message.starts_with("string values must be quoted") => {
                Some("words and quantities are written in quotes: rate = \"50 Mbit/s\"".to_owned())
            }
            Mistake::Syntax { .. } | Mistake::Twice { .. } | Mistake::TooMany { .. } => None,
            Mistake::Empty => Some(
                "a scenario has at least a `name`, a [path] with `rate` and `rtt`, and a [[transfer]] with `size`"
                    .to_owned(),
            ),
            Mistake::UnknownKey { belongs: Some(belongs), key, .. } => Some(format!("`{key}` is a key of {belongs}")),
            Mistake::UnknownKey { table, accepted, .. } => {
                let verb = if table == "the top level" { "takes" } else { "has the keys" };
                Some(format!("{table} {verb} {}", accepted.join(", ")))
            }
            Mistake::MissingKey { expected, .. } => Some(format!("give {expected}")),
            Mistake::MissingTable { .. } => Some(
                "every scenario has one [path], or its [[node]] and [[link]] tables, and at least one [[transfer]]"
                    .to_owned(),
            ),
            Mistake::WrongType { expected, .. } => Some(format!("expected {expected}")),
            Mistake::ListNotAllowed { lists, .. } => Some(format!("lists are for {}", lists.join(", "))),
            Mistake::EmptyList { .. } => Some("give at least one value, or leave the key out".to_owned()),
            Mistake::Quantity { error, .. } => error.help(),
            Mistake::OutOfRange { range, .. } => Some(format!("the range is {range}")),
            Mistake::UnknownName { accepted, .. } => Some(format!("known are {}", accepted.join(", "))),
            Mistake::BadName { .. } => {
                Some("a name has 1 to 64 characters of a-z, 0-9 and -, and does not begin with -".to_owned())
            }
            Mistake::BadLabel { .. } => {
                Some("a label has 1 to 40 characters, none of them for control, no blank at either end, and is not `bound`".to_owned())
            }
            Mistake::LabelOfSeveral { .. } => Some("make a table of each, with a label of its own; `size` may be a list".to_owned()),
            Mistake::SameLabel { .. } => Some("their rows could not be told apart".to_owned()),
            Mistake::DelayBeyondRtt { .. } => Some(
                "both directions' delays add up to the round trip: the reverse one can be at most all of it".to_owned(),
            ),
            Mistake::RepeatedCase { .. } => {
                Some("their results could not be told apart: use `repeat` to run a case more than once".to_owned())
            }
            Mistake::NeedsOther { key, other } => {
                Some(format!("give `{}` too, or leave `{}` out", last(other), last(key)))
            }
            Mistake::Excludes { .. } => Some("leave one of them out".to_owned()),
            Mistake::NotFor { key, .. } => Some(format!("leave `{}` out, or choose otherwise", last(key))),
            Mistake::NeededFor { expected, .. } => Some(format!("give {expected}")),
            Mistake::OtherUnit { .. } => Some("give both in packets, both in bytes or both in bdp".to_owned()),
            Mistake::NotInPackets { .. } => Some("give a number of packets, for example \"1000 packets\"".to_owned()),
            Mistake::NotBelow { .. } | Mistake::StopsFirst | Mistake::SameNode { .. } => None,
            Mistake::SmallBurst { mtu, .. } => Some(format!("a bucket has to hold the largest packet: at least {mtu}")),
            Mistake::LargeGuarantee { rate, .. } => Some(format!("expected at most {rate}, the `rate` of that way")),
            Mistake::LargePacket { mtu, .. } => Some(format!("expected at most {mtu}, the `mtu` of that way")),
            Mistake::NotLater { .. } => Some("changes stand in order of time, no two at one time".to_owned()),
            Mistake::NoChange { keys } => Some(format!("give {keys}, or leave the table out")),
            Mistake::SameName { .. } => Some("flows and links tell nodes apart by their names".to_owned()),
            Mistake::NoRoute { .. } => {
                Some("add the [[link]] that is missing on the way; links carry both ways".to_owned())
            }
            Mistake::NeverEnds => Some(
                "a run waits for all that is measured: give the traffic a `stop`, or a `size` and a `count`, or give [run] a `duration`"
                    .to_owned(),
            ),
            Mistake::NotBetween { way, .. } => Some(not_between::mend(way)),
            Mistake::NoDelay { .. } => Some("give one of the links on the way a `delay`".to_owned()),
            Mistake::TooManyCases { most, .. } => Some(format!("the most is {most}: shorten a list or split the file")),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::Syntax { message } => write!(f, "this is not TOML: {message}"),
            Mistake::Empty => write!(f, "the file is empty"),
            Mistake::UnknownKey {
                key,
                table,
                nearest,
                ..
            } => {
                let place = if table == "the top level" { "at" } else { "in" };
                write!(f, "unknown key `{key}` {place} {table}")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Mistake::MissingKey { key, .. } => write!(f, "`{key}` is missing"),
            Mistake::MissingTable { table } => write!(f, "{table} is missing"),
            Mistake::WrongType { key, found, .. } => write!(f, "`{key}` is {found}"),
            Mistake::ListNotAllowed { key, .. } => write!(f, "`{key}` cannot be a list"),
            Mistake::EmptyList { key } => write!(f, "the list `{key}` is empty"),
            Mistake::TooMany { key, count, most } => {
                write!(f, "`{key}` has {count} entries; the most is {most}")
            }
            Mistake::Twice { key, value, .. } => write!(f, "the list `{key}` has {value} twice"),
            Mistake::Quantity { key, error } => write!(f, "`{key}`: {error}"),
            Mistake::OutOfRange { key, found, .. } => {
                write!(f, "`{key}` is {found}: out of its range")
            }
            Mistake::UnknownName {
                key,
                found,
                nearest,
                ..
            } => {
                write!(f, "`{key}` is `{found}`, which is unknown")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Mistake::BadName { what, found } => write!(f, "`{found}` cannot be a {what}'s name"),
            Mistake::BadLabel { found } => write!(f, "`{found}` cannot be a label"),
            Mistake::LabelOfSeveral { label, rows } => {
                write!(
                    f,
                    "the label `{label}` is of one row, and the lists of its table make {rows}"
                )
            }
            Mistake::SameLabel { label, .. } => {
                write!(f, "two [[transfer]] tables have the label `{label}`")
            }
            Mistake::DelayBeyondRtt { delay, rtt } => {
                write!(
                    f,
                    "the reverse delay of {delay} is more than the round trip of {rtt}"
                )
            }
            Mistake::RepeatedCase { case, .. } => {
                write!(f, "two [[transfer]] tables have the case {case}")
            }
            Mistake::NeedsOther { key, other } => {
                write!(f, "`{key}` means nothing without `{other}`")
            }
            Mistake::Excludes { key, other, .. } => {
                write!(f, "`{key}` and `{other}` exclude each other")
            }
            Mistake::NotFor { key, only, chosen } => {
                write!(f, "`{key}` is for {only}, and this is `{chosen}`")
            }
            Mistake::NeededFor { key, chosen, .. } => {
                write!(f, "`{key}` is missing, which `{chosen}` needs")
            }
            Mistake::OtherUnit { key, queue } => {
                write!(f, "`{key}` has another unit than `{queue}`")
            }
            Mistake::NotInPackets { key, found } => {
                write!(
                    f,
                    "`{key}` is {found}, and a queue of `fq-codel` counts packets"
                )
            }
            Mistake::NotBelow {
                key,
                found,
                other,
                most,
            } => {
                write!(
                    f,
                    "`{key}` is {found}, which is not less than `{other}`, {most}"
                )
            }
            Mistake::SmallBurst { key, found, mtu } => {
                write!(f, "`{key}` is {found}: no packet of {mtu} would ever pass")
            }
            Mistake::LargeGuarantee { key, found, rate } => {
                write!(
                    f,
                    "`{key}` is {found}, and the link carries {rate}: more cannot be guaranteed"
                )
            }
            Mistake::LargePacket { key, found, mtu } => {
                write!(
                    f,
                    "`{key}` is {found}, and the way takes packets of {mtu} at most"
                )
            }
            Mistake::NotLater { key } => {
                write!(f, "`{key}` is not later than that of the change before")
            }
            Mistake::NoChange { .. } => write!(f, "this change changes nothing"),
            Mistake::SameName { name, .. } => write!(f, "two nodes have the name `{name}`"),
            Mistake::SameNode { what, node } => {
                write!(f, "this {what} leads from `{node}` to itself")
            }
            Mistake::NoRoute { from, to } => write!(f, "no links lead from `{from}` to `{to}`"),
            Mistake::NotBetween {
                node,
                from,
                to,
                why,
                ..
            } => f.write_str(&why.sentence(node, from, to)),
            Mistake::NoDelay { from, to } => {
                write!(f, "the way from `{from}` to `{to}` and back takes no time")
            }
            Mistake::StopsFirst => write!(f, "this traffic stops before it starts"),
            Mistake::NeverEnds => write!(f, "this measured traffic never ends"),
            Mistake::TooManyCases { cases, .. } => write!(f, "the lists multiply to {cases} cases"),
        }
    }
}

/// A key without its table.
fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}
