//! `docs/reference/commands.md`.
