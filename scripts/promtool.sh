#!/bin/sh
# Put promtool, Prometheus' checker of metrics and rules, into target/tools, from Debian's package
# `prometheus`. The package itself is not installed, because it would start a server.
set -eu
cd "$(dirname "$0")/.."

if command -v promtool >/dev/null 2>&1 || [ -x target/tools/promtool ]; then
	exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
	echo "promtool.sh: install promtool, which is part of Prometheus" >&2
	exit 3
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && { apt-get download -qq prometheus || { apt-get update -qq &&
	apt-get download -qq prometheus; }; } >/dev/null 2>&1)
dpkg -x "$folder"/prometheus_*.deb "$folder/files"
mkdir -p target/tools
mv "$folder/files/usr/bin/promtool" target/tools/promtool
