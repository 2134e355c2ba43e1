#!/bin/sh
# Make target/python, a virtual environment with what the Python package's tests and lints need.
# Does nothing where it is up to date.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh python3-venv
venv=target/python
wanted=python/requirements-test.txt
if cmp -s "$wanted" "$venv/requirements.txt"; then
	exit 0
fi
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
cp "$wanted" "$venv/requirements.txt"
