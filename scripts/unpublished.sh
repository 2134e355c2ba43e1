#!/bin/sh
# Print `--exclude NAME` for each crate of the workspace that is not published, for cargo.
set -eu
cd "$(dirname "$0")/.."
manifests=$(grep -l '^publish = false' crates/*/Cargo.toml crates/onramp-web/build-tool/Cargo.toml \
	python/Cargo.toml)
# shellcheck disable=SC2086
sed -n 's/^name = "\(onramp-.*\)"/--exclude \1/p' $manifests
