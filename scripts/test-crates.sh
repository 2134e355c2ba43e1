#!/usr/bin/env bash
# Package all crates that can be published, and install both programs from these packages alone, as
# `cargo install onramp onramp-study` would from a registry.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${CARGO:=cargo}" "${CARGO_TARGET_DIR:=$PWD/target}"
CARGO_TARGET_DIR=$(realpath -m "$CARGO_TARGET_DIR")
# The profiles of a workspace are not packaged. With the same, the crates of others that are
# compiled already are not compiled again.
export CARGO_TARGET_DIR CARGO_PROFILE_DEV_DEBUG=${CARGO_PROFILE_DEV_DEBUG:-line-tables-only}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf "$CARGO_TARGET_DIR/package"
unpublished=$(scripts/unpublished.sh)
# shellcheck disable=SC2086
$CARGO package --quiet --locked --workspace --no-verify --allow-dirty $unpublished \
	2>"$work/log" || {
	cat "$work/log" >&2
	exit 1
}

# The programs ask for the other crates by version. They are taken from their packages.
patches=()
for package in "$CARGO_TARGET_DIR"/package/*.crate; do
	tar -C "$work" -xzf "$package"
	folder=$(basename "$package" .crate)
	name=${folder%-*}
	case $name in
	onramp | onramp-study) ;;
	*) patches+=(--config "patch.crates-io.$name.path='$work/$folder'") ;;
	esac
done
for program in "$work"/onramp-[0-9]* "$work"/onramp-study-[0-9]*; do
	# The versions of the crates of others, as in this workspace.
	cp Cargo.lock "$program/Cargo.lock"
	(cd "$work" && $CARGO install --quiet --debug --path "$program" --root "$work/root" \
		"${patches[@]}")
done

"$work/root/bin/onramp" --version
# Its C and its BPF objects came along, and it finds the other program.
"$work/root/bin/onramp" list >"$work/list"
if ! grep -q '^onramp ' "$work/list"; then
	echo 'test-crates: the installed program does not list its start-up onramp' >&2
	exit 1
fi
"$work/root/bin/onramp" sim scenarios/wan-paper.toml --skip-missing >"$work/table"
echo "test-crates: both programs were installed from the packages of their crates"
