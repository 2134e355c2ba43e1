#!/bin/sh
# Check that no line of source or prose is longer than 100 columns. Prints FILE:LINE for each that
# is, and exits with 1 then.
#
# rustfmt and clang-format leave comments, string literals and macro bodies as they are, so this
# script looks at what they do not. Exempt are:
# - files that a program writes, and test data: snapshots, lock files, recordings, fuzzing corpora;
# - the texts of the licences;
# - in Markdown: tables, and code blocks, most of which are output as it was printed;
# - a line without a space to break it at, such as an address.
set -eu
cd "$(dirname "$0")/.."

git ls-files -- '*.rs' '*.c' '*.h' '*.toml' '*.sh' '*.md' '*.py' '*.go' '*.css' '*.cc' \
	'*.ts' '*.tsx' '*.mjs' Makefile '.ci/*' ':!LICENSES' ':!*/snapshots/*' ':!*.lock' \
	':!core/src/inline.c' ':!core/src/bindings.rs' |
	LC_ALL=C xargs awk -v limit=100 '
		FNR == 1 {
			is_markdown = FILENAME ~ /\.md$/
			is_code = 0
			# As their formatters count: clang-format and Biome.
			tab_columns = FILENAME ~ /\.(ts|tsx|mjs|css)$/ ? 2 : 8
		}
		is_markdown && /^ *(```|~~~)/ { is_code = !is_code; next }
		is_markdown && (is_code || /^ *\|/ || /^    /) { next }
		{
			text = $0
			gsub(/[\200-\277]/, "", text) # one column for a character of several bytes
			while ((tab = index(text, "\t")) > 0) {
				fill = sprintf("%*s", tab_columns - (tab - 1) % tab_columns, "")
				text = substr(text, 1, tab - 1) fill substr(text, tab + 1)
			}
			if (length(text) <= limit) next
			body = text
			sub(/^[ >*-]+/, "", body)
			if (body !~ / /) next
			print FILENAME ":" FNR ": " length(text) " columns, more than " limit
			found++
		}
		END { exit found > 0 }'
