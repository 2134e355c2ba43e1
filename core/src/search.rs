//! The versions of start-up `search` (SEARCH), which differ in what they compare and in how they
//! leave slow start (`core/algorithms/search.h`).

use crate::bindings;

/// A version of SEARCH.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SearchVersion {
    /// The newest draft that `search` follows, draft-chung-ccwg-search-09.
    #[default]
    Draft,
    /// Version 3.1 for Linux.
    Linux,
    /// Version 4 for FreeBSD.
    Freebsd,
}

impl SearchVersion {
    /// All, in the order of help texts.
    pub const ALL: [SearchVersion; 3] = [
        SearchVersion::Draft,
        SearchVersion::Linux,
        SearchVersion::Freebsd,
    ];

    /// The name, as in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            SearchVersion::Draft => "draft",
            SearchVersion::Linux => "linux",
            SearchVersion::Freebsd => "freebsd",
        }
    }

    /// The bit of [`Start::options`](crate::Start::options) that chooses it; 0: the default.
    pub fn option(self) -> u32 {
        match self {
            SearchVersion::Draft => 0,
            SearchVersion::Linux => bindings::OPTION_SEARCH_DELIVERED,
            SearchVersion::Freebsd => bindings::OPTION_SEARCH_ROLLBACK,
        }
    }
}
