//! Loss recovery: which segments are lost, and when they are sent again.
