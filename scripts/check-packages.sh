#!/bin/sh
# Count the packages of others: in each program, and in the lock file. Exit 1: more than the most
# that we allow. `onramp` runs as root.
set -eu
cd "$(dirname "$0")/.."
: "${CARGO:=cargo}"

check() { # what, number, maximum
	echo "$1: $2 packages of others, at most $3"
	[ "$2" -le "$3" ]
}
packages_of() {
	# Ours have a path behind the version.
	"$CARGO" tree --locked --package "$1" --edges normal --prefix none |
		sed 's/ (\*)$//' | sort -u | grep -vc ' (/'
}
check onramp "$(packages_of onramp)" 100
check onramp-study "$(packages_of onramp-study)" 200
check Cargo.lock "$(grep -c '^source = ' Cargo.lock)" 380
