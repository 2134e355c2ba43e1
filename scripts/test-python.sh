#!/bin/sh
# Build the wheel of the Python package, install it into target/python, and run its tests, and those
# of the scripts. Arguments are options of pytest.
#
# The wheel is built in the debug profile: most of its crates are built already, and the simulations
# of the tests are short. The tests compare with the command line, which is built where it is not.
set -eu
cd "$(dirname "$0")/.."
scripts/python-venv.sh
bin=$PWD/target/python/bin
: "${CARGO:=cargo}"
: "${CARGO_TARGET_DIR:=$PWD/target}"
export CARGO_TARGET_DIR
ONRAMP=$CARGO_TARGET_DIR/debug/onramp
export ONRAMP

"$CARGO" build --locked --quiet -p onramp
rm -rf target/python/wheels
"$bin/maturin" build --quiet --locked --profile dev --auditwheel skip \
	--manifest-path python/Cargo.toml --out target/python/wheels
"$bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall \
	target/python/wheels/onramp_tcp-*.whl
(cd python && "$bin/pytest" --quiet -p no:cacheprovider "$@")
# The examples of the installed package.
(cd "$bin" && ./pytest --quiet -p no:cacheprovider --doctest-modules --pyargs onramp)
# Downloads over QUIC between the command line and aioquic.
"$bin/pytest" --quiet -p no:cacheprovider crates/onramp-hq/tests/aioquic
# The scripts that have tests.
"$bin/pytest" --quiet -p no:cacheprovider scripts
