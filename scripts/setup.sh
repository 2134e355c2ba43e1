#!/bin/sh
# Install what building and running needs and is missing: clang (compiles bpf/), libelf and zlib (libbpf), pkg-config,
# a C compiler and make, and iproute2 (the lab). On Debian and Ubuntu by apt-get; elsewhere it says what to install.
set -eu

packages=""
need() { # command-or-file package
	if ! command -v "$1" >/dev/null 2>&1 && [ ! -e "$1" ]; then
		packages="$packages $2"
	fi
}
need clang clang
need cc gcc
need ip iproute2
need pkg-config pkg-config
need /usr/include/libelf.h libelf-dev
need /usr/include/zlib.h zlib1g-dev
for extra in "$@"; do
	need "$extra" "$extra"
done

if [ -n "$packages" ]; then
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "setup: install these, by their Debian names, with your package manager:$packages" >&2
		exit 3
	fi
	sudo=""
	if [ "$(id -u)" != 0 ]; then
		sudo=sudo
	fi
	echo "setup: installing$packages"
	export DEBIAN_FRONTEND=noninteractive
	# The package lists may be old; they are fetched anew only where they do not suffice.
	# shellcheck disable=SC2086
	$sudo apt-get install -y -qq $packages >/dev/null 2>&1 || {
		$sudo apt-get update -qq
		$sudo apt-get install -y -qq $packages >/dev/null
	}
fi

if ! command -v cargo >/dev/null 2>&1; then
	echo "setup: Rust is missing; see https://rustup.rs" >&2
	exit 3
fi
