//! Units and the quantities that are written with them.

/// A unit: its name, and how many of the quantity's base unit it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its name.
    pub name: &'static str,
    /// How many of the quantity's base unit it is.
    pub factor: u64,
    /// The thing that the integer of a quantity counts.
    pub counts: &'static str,
}

const fn unit(name: &'static str, factor: u64, counts: &'static str) -> Unit {
    Unit {
        name,
        factor,
        counts,
    }
}

/// How one kind of quantity is written.
#[derive(Debug)]
pub struct Quantity {
    /// Its name.
    pub what: &'static str,
    /// A value.
    pub example: &'static str,
    /// Units; those of one list convert into one another.
    pub units: &'static [&'static [Unit]],
    /// Words that may stand instead of a number with a unit.
    pub words: &'static [&'static str],
}

impl Quantity {
    /// How to write one, for the error that refuses another text.
    pub fn expected(&self) -> String {
        let units: Vec<_> = self.unit_names().collect();
        let (what, example) = (self.what, self.example);
        let article = if what.starts_with('i') { "an" } else { "a" };
        let words: String = self
            .words
            .iter()
            .map(|word| format!("\"{word}\", or "))
            .collect();
        let units = units.join(", ");
        format!(
            "{article} {what} is {words}a decimal number and a unit ({units}), for example \
             \"{example}\""
        )
    }

    /// Names of the units, in the order in which messages list them.
    pub fn unit_names(&self) -> impl Iterator<Item = &'static str> {
        self.units
            .iter()
            .flat_map(|family| family.iter())
            .map(|unit| unit.name)
    }
}

const BITS_PER_S: &str = "bits per second";
pub const RATE_UNITS: &[Unit] = &[
    unit("bit/s", 1, BITS_PER_S),
    unit("kbit/s", 1_000, BITS_PER_S),
    unit("Mbit/s", 1_000_000, BITS_PER_S),
    unit("Gbit/s", 1_000_000_000, BITS_PER_S),
];
const BYTE_RATE_UNITS: &[Unit] = &[
    unit("B/s", 8, BITS_PER_S),
    unit("kB/s", 8_000, BITS_PER_S),
    unit("MB/s", 8_000_000, BITS_PER_S),
    unit("GB/s", 8_000_000_000, BITS_PER_S),
];
pub const TIME_UNITS: &[Unit] = &[
    unit("ns", 1, "nanoseconds"),
    unit("us", 1_000, "nanoseconds"),
    unit("ms", 1_000_000, "nanoseconds"),
    unit("s", 1_000_000_000, "nanoseconds"),
];
/// The units of sizes.
pub const SIZE_UNITS: &[Unit] = &[
    unit("B", 1, "bytes"),
    unit("kB", 1_000, "bytes"),
    unit("MB", 1_000_000, "bytes"),
    unit("GB", 1_000_000_000, "bytes"),
    unit("KiB", 1 << 10, "bytes"),
    unit("MiB", 1 << 20, "bytes"),
    unit("GiB", 1 << 30, "bytes"),
];
/// Packets.
pub const PACKETS: Unit = unit("packets", 1, "packets");
/// Segments.
pub const SEGMENTS: Unit = unit("segments", 1, "segments");
/// Millionths of the BDP.
pub const BDP: Unit = unit("bdp", 1_000_000, "millionths of the bdp");
const PER_SECOND: Unit = unit("/s", 1_000_000, "times in a million seconds");
pub const PERCENT: Unit = unit("%", 10_000, "millionths");

pub const RATE: Quantity = Quantity {
    what: "rate",
    example: "50 Mbit/s",
    units: &[RATE_UNITS, BYTE_RATE_UNITS],
    words: &[],
};
pub const TIME: Quantity = Quantity {
    what: "time",
    example: "600 ms",
    units: &[TIME_UNITS],
    words: &[],
};
pub const SIZE: Quantity = Quantity {
    what: "size",
    example: "1 MB",
    units: &[SIZE_UNITS],
    words: &[],
};
pub const SHARE: Quantity = Quantity {
    what: "share",
    example: "0.5 %",
    units: &[&[PERCENT]],
    words: &[],
};
pub const FREQUENCY: Quantity = Quantity {
    what: "frequency",
    example: "5 /s",
    units: &[&[PER_SECOND]],
    words: &[],
};
pub const COUNT: Quantity = Quantity {
    what: "number of packets",
    example: "100 packets",
    units: &[&[PACKETS]],
    words: &[],
};
