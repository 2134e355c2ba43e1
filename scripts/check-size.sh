#!/bin/sh
# Check that no file of the repository is larger than 256 kB: nobody reviews such a file, and each
# of its versions stays in the history. Prints each that is, and exits with 1 then. A test can make
# large data from a seed, and a snapshot can have a digest of each large part.
set -eu
cd "$(dirname "$0")/.."

git ls-files -z | xargs -0 stat --format '%s %n' | awk -v limit=256000 '
	$1 > limit {
		print substr($0, index($0, " ") + 1) ": " $1 " bytes, more than " limit
		found++
	}
	END { exit found > 0 }'
