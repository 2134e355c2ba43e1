#!/bin/sh
# Print `--exclude NAME` for each crate of the workspace that is not published, for cargo.
set -eu
cd "$(dirname "$0")/.."
grep -l '^publish = false' crates/*/Cargo.toml crates/onramp-web/build-tool/Cargo.toml \
	python/Cargo.toml | xargs sed -n 's/^name = "\(.*\)"/--exclude \1/p' | grep -- '--exclude onramp-'
