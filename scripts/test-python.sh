#!/bin/sh
# Run the tests of the Python package and of the scripts that have tests. Arguments are options of
# pytest.
#
# The package is put into target/python from its Python files and the extension module that the
# workspace's build has made: `maturin build` would compile each crate again, with other features.
# The stage `wheel` of `make test-all` tests the wheel itself: WHEEL=1. The tests compare with the
# command line of the debug build.
set -eu
cd "$(dirname "$0")/.."
scripts/python-venv.sh
bin=$PWD/target/python/bin
: "${CARGO:=cargo}"
: "${CARGO_TARGET_DIR:=$PWD/target}"
export CARGO_TARGET_DIR
ONRAMP=$CARGO_TARGET_DIR/debug/onramp
export ONRAMP

packages=$("$bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$bin/pip" uninstall --quiet --disable-pip-version-check --yes onramp-tcp
rm -rf "$packages/onramp" target/python/wheels
if [ -n "${WHEEL:-}" ]; then
	"$bin/maturin" build --quiet --locked --profile dev --auditwheel skip \
		--manifest-path python/Cargo.toml --out target/python/wheels
	"$bin/pip" install --quiet --disable-pip-version-check --no-deps \
		target/python/wheels/onramp_tcp-*.whl
	if readelf --section-headers "$packages/onramp/_onramp.abi3.so" | grep '\.debug_'; then
		echo "test-python: the wheel's library is not stripped (pyproject.toml, strip)" >&2
		exit 1
	fi
else
	cp -r python/onramp "$packages"
	cp "$CARGO_TARGET_DIR/debug/lib_onramp.so" "$packages/onramp/_onramp.abi3.so"
	cat >"$bin/onramp-sweep" <<END
#!$bin/python
import sys
from onramp._command import main

if __name__ == "__main__":
    sys.exit(main())
END
	chmod +x "$bin/onramp-sweep"
fi
(cd python && "$bin/pytest" --quiet -p no:cacheprovider "$@")
# The examples of the installed package.
(cd "$bin" && ./pytest --quiet -p no:cacheprovider --doctest-modules --pyargs onramp)
# Downloads over QUIC between the command line and aioquic.
"$bin/pytest" --quiet -p no:cacheprovider crates/onramp-hq/tests/aioquic
# The scripts that have tests.
"$bin/pytest" --quiet -p no:cacheprovider scripts
