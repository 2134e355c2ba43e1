//! Parts of the lab that other programs on the real clock use.

pub use crate::clock::now_ns;
pub use crate::host::{ip, Namespace, Tun};
pub use crate::link::{Buffer, Pool};
pub use crate::path::{Path, PathEnd, PathReport};
pub use crate::work::Content;
