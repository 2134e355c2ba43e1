#!/bin/sh
# Check that each relative link of a Markdown file leads to a file that exists, and each anchor to
# the only heading of this name (a bad merge leaves some twice). Works without a network, so
# addresses (https://...) are not visited. Then check that each file in the table "Where is it" of
# docs/architecture.md contains the name beside it, and that paths of this repository in code spans
# exist. Prints what is wrong, and exits with 1 then.
set -eu
cd "$(dirname "$0")/.."
failed=0

git ls-files -- '*.md' ':!LICENSES' | LC_ALL=C xargs awk '
	# The anchor that GitHub gives a heading.
	function anchor(heading,   text) {
		text = heading
		sub(/^#+ +/, "", text)
		gsub(/\]\([^)]*\)/, "", text)
		text = tolower(text)
		gsub(/[^a-z0-9 _-]/, "", text)
		gsub(/ /, "-", text)
		return text
	}

	# The path without "." and "..", from the root of the repository.
	function normal(path,   parts, count, i, kept, text) {
		count = split(path, parts, "/")
		kept = 0
		for (i = 1; i <= count; i++) {
			if (parts[i] == "" || parts[i] == ".") continue
			if (parts[i] == ".." && kept > 0) kept--
			else stack[++kept] = parts[i]
		}
		text = ""
		for (i = 1; i <= kept; i++) text = text (i > 1 ? "/" : "") stack[i]
		return text
	}

	FNR == 1 {
		is_code = 0
		folder = FILENAME
		if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
	}
	/^ *(```|~~~)/ { is_code = !is_code; next }
	is_code { next }
	/^#+ / {
		name = anchor($0)
		key = FILENAME "#" name
		if (key in anchors) {
			print FILENAME ":" FNR ": a second heading #" name " in this file"
			found++
		}
		anchors[key] = 1
	}
	{
		rest = $0
		gsub(/`[^`]*`/, "", rest)
		while (match(rest, /\]\([^)]*\)/)) {
			target = substr(rest, RSTART + 2, RLENGTH - 3)
			rest = substr(rest, RSTART + RLENGTH)
			if (target ~ /^(https?|mailto):/) continue
			if (target ~ /::/) continue # an item of rustdoc, which cargo doc checks
			path = target
			name = ""
			if ((hash = index(target, "#")) > 0) {
				path = substr(target, 1, hash - 1)
				name = substr(target, hash + 1)
			}
			links++
			where[links] = FILENAME ":" FNR
			shown[links] = target
			file[links] = path == "" ? FILENAME : normal(folder "/" path)
			heading[links] = name
		}
	}
	END {
		for (i = 1; i <= links; i++) {
			if (system("test -e \"" file[i] "\"") != 0) {
				print where[i] ": no file " file[i] " (" shown[i] ")"
				found++
			} else if (heading[i] != "" && file[i] ~ /\.md$/ &&
				   !((file[i] "#" heading[i]) in anchors)) {
				print where[i] ": no heading #" heading[i] " in " file[i]
				found++
			}
		}
		exit found > 0
	}' || failed=1

# Rows such as: | what | [path](../path) | `name` |
sed -n 's/^|[^|]*| \[[^]]*\](\.\.\/\([^)]*\)) | `\([^`]*\)` |$/\1 \2/p' docs/architecture.md |
	{
		missing=0
		while read -r path name; do
			if ! grep -qF "$name" "$path"; then
				echo "docs/architecture.md: $path does not contain $name"
				missing=1
			fi
		done
		exit $missing
	} || failed=1

# Code spans such as `crates/onramp-net/src`. The changelog names old paths too.
git ls-files -- '*.md' ':!LICENSES' ':!CHANGELOG.md' |
	xargs grep -oHE \
		'`(core|bpf|crates|papers|scenarios|docs|scripts|benches)/[A-Za-z0-9_./-]+`' |
	tr -d '`' | {
	missing=0
	while IFS=: read -r file path; do
		case "$path" in *NAME* | *PAPER*) continue ;; esac
		if [ ! -e "$path" ]; then
			echo "$file: no file $path"
			missing=1
		fi
	done
	exit $missing
} || failed=1
exit $failed
