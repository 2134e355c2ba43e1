#!/usr/bin/env bash
# Run the tests on a busy machine: beside processes that keep the processors busy, and with
# congestion controls of somebody else in the kernel. As root.
#
#     NEXTEST=... BUILT_IN=... scripts/test-busy.sh [TIMES [arguments of nextest]]
#
# The Makefile sets NEXTEST, the command that runs the tests, and BUILT_IN, where cargo builds: a
# variable TARGET would be the target triple of bindgen, in a test. TIMES is 3 where it is missing.
# ONRAMP_BUSY_PROCESSES (4) and ONRAMP_FOREIGN_CONTROLS (20) are their numbers. All of it ends with
# this script.
set -euo pipefail
cd "$(dirname "$0")/.."

times=${1:-3}
shift $(($# ? 1 : 0))
busy=${ONRAMP_BUSY_PROCESSES:-4}
foreign=${ONRAMP_FOREIGN_CONTROLS:-20}
controls=/proc/sys/net/ipv4/tcp_available_congestion_control

started=()
trap 'kill "${started[@]}" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM

# Builds are not what is tried. Tests and examples:
$NEXTEST --no-run

"$BUILT_IN/debug/examples/foreign" "$foreign" &
foreign_pid=$!
started+=("$foreign_pid")
until grep -qw "foreign$foreign" "$controls"; do
	kill -0 "$foreign_pid" # it has ended, and has said why
	sleep 0.1
done
for _ in $(seq "$busy"); do
	(trap - EXIT; while :; do :; done) &
	started+=($!)
done

for run in $(seq "$times"); do
	echo "run $run of $times, beside $busy busy processes and $foreign other controls"
	$NEXTEST "$@"
done
