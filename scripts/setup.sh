#!/bin/sh
# Install what is missing to build and run Onramp, on Debian and Ubuntu by apt-get. On other
# distributions, print the names of the missing packages.
#
#     clang                compiles bpf/
#     libclang             reads the C headers for the tests of the bindings (bindgen)
#     libelf, zlib         libbpf
#     gcc, pkg-config      the native build
#     iproute2             the lab
#
# Arguments are names of further packages: clang-format (make lint), tshark, golang-go and chromium
# (make test), python3-venv (the Python package), qemu-system-x86, busybox-static and e2fsprogs
# (make kernels, make systemd), debhelper, lintian and mmdebstrap (the Debian package), nginx-light
# and curl (make canary), cmake, g++ and libssl-dev (make picoquic), g++, ninja-build,
# libnspr4-dev and libsqlite3-dev (make neqo), nodejs and npm (make web).
# `wasm32` is Rust's standard library for WebAssembly (make web).
set -eu

packages=""
needs_wasm32=""
need() { # command-or-file package
	if ! command -v "$1" >/dev/null 2>&1 && [ ! -e "$1" ]; then
		packages="$packages $2"
	fi
}
# The library that bindgen loads. Debian's clang brings it, other packages of clang may not.
has_libclang() {
	for library in "${LIBCLANG_PATH:-/nowhere}"/libclang*.so* /usr/lib/llvm-*/lib/libclang.so* \
		/usr/lib*/libclang.so* /usr/lib/*/libclang.so* /usr/lib/*/libclang-[0-9]*.so*; do
		if [ -e "$library" ]; then
			return 0
		fi
	done
	return 1
}
has_wasm32() {
	[ -e "$(rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null)" ]
}
need clang clang
has_libclang || packages="$packages libclang-dev"
need cc gcc
need ip iproute2
need pkg-config pkg-config
need /usr/include/libelf.h libelf-dev
need /usr/include/zlib.h zlib1g-dev
for extra in "$@"; do
	case $extra in
	python3-venv) python3 -c 'import ensurepip' 2>/dev/null || packages="$packages $extra" ;;
	qemu-system-x86) need qemu-system-x86_64 "$extra" ;;
	debhelper) need dh "$extra" ;;
	e2fsprogs) need /sbin/mke2fs "$extra" ;;
	nginx-light) need nginx "$extra" ;;
	nodejs) need node "$extra" ;;
	wasm32) needs_wasm32=yes ;;
	libssl-dev) need /usr/include/openssl/ssl.h "$extra" ;;
	libnspr4-dev) need /usr/include/nspr/nspr.h "$extra" ;;
	libsqlite3-dev) need /usr/include/sqlite3.h "$extra" ;;
	ninja-build) need ninja "$extra" ;;
	*-static) need "${extra%-static}" "$extra" ;;
	*) need "${extra#golang-}" "$extra" ;;
	esac
done

if [ -n "$packages" ]; then
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "setup: install these with your package manager (Debian's names):$packages" >&2
		exit 3
	fi
	sudo=""
	if [ "$(id -u)" != 0 ]; then
		sudo=sudo
	fi
	echo "setup: installing$packages"
	# sudo clears the environment, so set the variable behind it. Without it, a package that
	# asks questions (tshark does) would wait for an answer.
	apt_get="$sudo env DEBIAN_FRONTEND=noninteractive apt-get"
	# Old package lists usually suffice. Update them only if they do not.
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

if [ -n "$needs_wasm32" ] && ! has_wasm32; then
	if command -v rustup >/dev/null 2>&1; then
		rustup target add wasm32-unknown-unknown
	else
		echo "setup: install Rust's standard library for wasm32-unknown-unknown" \
			"(Debian: libstd-rust-dev-wasm32)" >&2
		exit 3
	fi
fi
