#!/bin/sh
# A variant of an algorithm beside the shipped one and CUBIC, in the simulator over two sets of
# families (crates/onramp-comparison/families.toml).
#
#     [FAMILY="jitter, second"] [LEARNED=1] scripts/try.sh ALGORITHM [FILE...]
#
# The shipped one is core/ of the commit BASE (default: HEAD). The variant is core/ of the working
# tree, where each FILE takes the place of the file of its name. Only C is compiled between two
# runs. With FAMILY, its cells follow. With LEARNED, each host has learned its initial rate from
# eight connections over the same path. The results of BASE are kept, as long as its C, the families
# and the simulator stay.
set -eu
if [ $# = 0 ]; then
	echo 'try: which algorithm? make try ALGORITHM=onramp [FILE="variant/fill.h ..."]' >&2
	exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
: "${CARGO:=cargo}" "${CC:=cc}" "${BASE:=HEAD}" "${CARGO_TARGET_DIR:=$root/target}"
algorithm=$1
shift
mode=${LEARNED:+learned}
mode=${mode:-run}
target=$CARGO_TARGET_DIR/try
mkdir -p "$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/shipped" "$work/variant"
git -C "$root" archive "$BASE" core | tar -x -C "$work/shipped"
cp -r "$root/core" "$work/variant"
for file in "$@"; do
	places=$(find "$work/variant/core" -name "$(basename "$file")")
	if [ "$(echo "$places" | grep -c .)" != 1 ]; then
		echo "try: core/ has no file, or several, of the name of $file: $places" >&2
		exit 2
	fi
	cp "$file" "$places"
done
for side in shipped variant; do
	core=$work/$side/core
	$CC -std=c11 -ffreestanding -O3 -Wall -Wextra -Werror -fPIC -shared -I "$core" \
		"$core/src/native.c" -o "$work/$side/libonramp_core.so"
done

cd "$root"
$CARGO build --quiet --locked --release -p onramp-sim --example try \
	--features onramp-core/shared --target-dir "$target"
program=$target/release/examples/try
families=$(cat crates/onramp-comparison/families.toml scenarios/*.toml scenarios/*/*.toml |
	cat - "$program" "$work/shipped/libonramp_core.so" | sha256sum | cut -c 1-16)
shipped=$target/$algorithm-$mode-$families.json
if ! [ -e "$shipped" ]; then
	# The program has the records of the working tree.
	if ! cmp -s core/startup.h "$work/shipped/core/startup.h" ||
		! cmp -s core/src/native.h "$work/shipped/core/src/native.h"; then
		echo "try: the records differ from those of $BASE: choose a later BASE" >&2
		exit 2
	fi
	LD_LIBRARY_PATH=$work/shipped "$program" "$mode" "$work/new.json" none "$algorithm"
	mv "$work/new.json" "$shipped"
fi
if cmp -s "$work/shipped/libonramp_core.so" "$work/variant/libonramp_core.so"; then
	echo 'try: the variant is the shipped C' >&2
fi
LD_LIBRARY_PATH=$work/variant "$program" "$mode" "$work/variant.json" "$algorithm"
LD_LIBRARY_PATH=$work/variant "$program" table "$shipped" "$work/variant.json" "$algorithm"
if [ "${FAMILY:-}" ]; then
	LD_LIBRARY_PATH=$work/variant "$program" cells "$shipped" "$work/variant.json" \
		"$algorithm" "$FAMILY"
fi
