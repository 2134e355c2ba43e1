#!/bin/sh
# Check the algorithms in a minute: the tests of core/, the BPF programs with the instructions that
# the kernel's verifier processes, and one simulated path.
#
#     scripts/check.sh [ALGORITHM]        one of `onramp list`; all where it is missing
#
# The tests of core/ are always all of them: they take a second. Without root the verifier is left
# out, and the script says so. These crates alone are less to build again than the workspace. So the
# first run compiles crates of others.
set -eu
cd "$(dirname "$0")/.."
algorithm=${1:-}
: "${CARGO:=cargo}" "${SUDO:=}" "${CARGO_TARGET_DIR:=$PWD/target}"
onramp=$CARGO_TARGET_DIR/debug/onramp

$CARGO build --quiet --locked -p onramp -p onramp-study
names=$("$onramp" list | sed -n '2,/^$/s/ .*//p')
if [ -n "$algorithm" ]; then
	if ! echo "$names" | grep -qx "$algorithm"; then
		echo "check: there is no start-up $algorithm; there are:" $names >&2
		exit 2
	fi
	names=$algorithm
fi

$CARGO test --quiet --locked -p onramp-core
if [ "$(id -u)" = 0 ] || [ -n "$SUDO" ]; then
	$SUDO env ONRAMP_ALGORITHM="$algorithm" $CARGO test --quiet --locked -p onramp-kernel \
		--test kernel -- --nocapture the_verifier_processes
else
	echo 'check: the verifier is left out: loading BPF programs needs root'
fi

scenario=$(mktemp --suffix .toml)
trap 'rm -f "$scenario"' EXIT
cat >"$scenario" <<END
name = "check"
[path]
rate = "50 Mbit/s"
rtt = "100 ms"
queue = "1 bdp"
[[transfer]]
size = ["100 kB", "1 MB"]
startup = [$(echo "$names" | sed 's/.*/"&", /' | tr -d '\n') "none"]
END
"$onramp" sim "$scenario"
