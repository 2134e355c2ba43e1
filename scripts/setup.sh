#!/bin/sh
# Install what building and running needs and is missing: clang (compiles bpf/), libelf and zlib
# (libbpf), pkg-config, a C compiler and make, and iproute2 (the lab). On Debian and Ubuntu by
# apt-get; elsewhere it says what to install. Arguments are further programs, by the names of their
# packages: clang-format (make lint), tshark and golang-go (make test).
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
	need "${extra#golang-}" "$extra"
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
	# sudo keeps no environment; a package that asks questions (tshark's do) would wait for an answer
	# that nobody sees.
	apt_get="$sudo env DEBIAN_FRONTEND=noninteractive apt-get"
	# The package lists may be old; they are fetched anew only where they do not suffice.
	# shellcheck disable=SC2086
	$apt_get install -y -qq $packages >/dev/null 2>&1 || {
		$apt_get update -qq
		$apt_get install -y -qq $packages >/dev/null
	}
fi

if ! command -v cargo >/dev/null 2>&1; then
	echo "setup: Rust is missing; see https://rustup.rs" >&2
	exit 3
fi
