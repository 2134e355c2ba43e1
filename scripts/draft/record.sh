#!/bin/sh
# The simulator runs `onramp` over exact and noisy paths with a core/ that records each input and
# decision, and the code of the Internet-Draft decides on the same inputs. Exits with 1 where a
# decision differs. With WRITE=1 it also writes the inputs of scripts/test_draft.py again.
set -eu
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}" "${CC:=cc}" "${PYTHON:=python3}" "${CARGO_TARGET_DIR:=$PWD/target}"
target=$CARGO_TARGET_DIR/try
$CARGO build --quiet --locked --release -p onramp-sim --example try \
	--features onramp-core/shared --target-dir "$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
$CC -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -I core scripts/draft/record.c \
	-o "$work/libonramp_core.so"

record() {
	ONRAMP_RECORD=$work/$1.bin LD_LIBRARY_PATH=$work "$target/release/examples/try" sim "$2"
}

# The 18 exact paths
record exact scenarios/start-up.toml
record lies scripts/draft/lies.toml
for scenario in \
	hostile/default-buffer hostile/loss-bursts hostile/narrow-way-back hostile/policer-20 \
	hostile/random-loss hostile/writes-100 others/ten-at-once real/ack-aggregation \
	real/fading real/fast real/lte-grants real/ordered-jitter-5 real/policers-1000 \
	real/reordering-jitter-10 real/wifi-ampdu second/odd-policers second/proxy memory; do
	record "$(echo $scenario | tr / -)" scenarios/$scenario.toml
done
"$PYTHON" scripts/draft/replay.py "$work"/*.bin
if [ "${WRITE:-}" ]; then
	"$PYTHON" scripts/draft/thin.py "$work"/*.bin
fi
