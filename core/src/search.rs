//! The versions of start-up `search` (SEARCH), which differ in what they compare and in how they
//! leave slow start (`core/algorithms/search.h`).

use crate::bindings;

/// A version of SEARCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SearchVersion {
    /// The name, as in scenario files.
    pub name: &'static str,
    /// The bit of [`Start::options`](crate::Start::options) that chooses it; 0: the default.
    pub option: u32,
}

impl SearchVersion {
    /// The newest draft that `search` follows, draft-chung-ccwg-search-09.
    pub const DRAFT: SearchVersion = SearchVersion {
        name: "draft",
        option: 0,
    };

    /// All, in the order of help texts: the draft, 3.1 for Linux, 4 for FreeBSD.
    pub const ALL: [SearchVersion; 3] = [
        SearchVersion::DRAFT,
        SearchVersion {
            name: "linux",
            option: bindings::OPTION_SEARCH_DELIVERED,
        },
        SearchVersion {
            name: "freebsd",
            option: bindings::OPTION_SEARCH_ROLLBACK,
        },
    ];
}

impl Default for SearchVersion {
    fn default() -> SearchVersion {
        SearchVersion::DRAFT
    }
}
