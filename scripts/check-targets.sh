#!/bin/sh
# Check crates/onramp-quic for other systems: `cargo check`, with clang for the C of core/. Nothing
# is linked, and nothing runs.
#
# Usage: check-targets.sh [--all]
#
# Without --all: a system that has no std, where `alloc` is all that the crate needs. With it also
# Windows and macOS, with each adapter. A target that rustup does not have is added.
set -eu
cd "$(dirname "$0")/.."
: "${CARGO:=cargo}"

# macOS: clang asks for no SDK where the C is freestanding, but cc looks for one.
export SDKROOT="${SDKROOT:-/}"

check() { # target, options of cargo
	target=$1
	shift
	rustup target list --installed | grep -qx "$target" || rustup target add "$target"
	variable=CC_$(echo "$target" | tr - _)
	env "$variable=clang" "$CARGO" check --locked --quiet -p onramp-quic --target "$target" "$@"
	echo "onramp-quic is right for $target $*"
}

if ! command -v rustup >/dev/null 2>&1 || ! command -v clang >/dev/null 2>&1; then
	echo "check-targets: rustup and clang are needed, so nothing was checked" >&2
	exit 0
fi
check thumbv7em-none-eabi --no-default-features
if [ "${1-}" = --all ]; then
	for target in x86_64-pc-windows-gnu x86_64-apple-darwin aarch64-apple-darwin; do
		check "$target"
		check "$target" --features noq,quinn,serde
	done
fi
