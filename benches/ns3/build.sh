#!/bin/sh
# Build wan with Debian's ns-3 into OUT (default: target/ns3 of the repository). Exit code 3: ns-3
# is not installed.
set -eu
cd "$(dirname "$0")/../.."

out=${OUT:-target/ns3}
cxx=${CXX:-g++}

if ! printf '#include <ns3/core-module.h>\n' | "$cxx" -std=c++17 -E -x c++ - >/dev/null 2>&1; then
	echo "build.sh: ns-3's headers or $cxx not found: apt-get install libns3-dev" >&2
	exit 3
fi

# pkg-config is not used: its files for ns-3 name gsl and SQLite libraries that the package does not
# depend on.
mkdir -p "$out"
"$cxx" -std=c++17 -O3 -Wall -Wextra ${CXXFLAGS:-} -o "$out/wan" benches/ns3/wan.cc \
	-lns3-applications -lns3-point-to-point -lns3-internet -lns3-network -lns3-core
echo "$out/wan"
