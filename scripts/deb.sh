#!/bin/sh
# Build the Debian packages of programs that are built already, by Debian's own tools (debhelper).
#
#     scripts/deb.sh [OUT]            OUT: target/deb
#
# Environment: ONRAMP (target/release/onramp, with onramp-study beside it), WEB (target/web, the
# page of `onramp web`), and DEB_HOST_ARCH for programs of another architecture, with GENERATOR, the
# program onramp for this machine, with onramp-study beside it.
#
# OUT gets onramp_VERSION_ARCH.deb and onramp-study_VERSION_ARCH.deb, and packages -dbgsym with the
# symbols of programs that have some.
set -eu
cd "$(dirname "$0")/.."
out=${1:-target/deb}
: "${ONRAMP:=target/release/onramp}" "${DEB_HOST_ARCH:=$(dpkg --print-architecture)}"
ONRAMP=$(realpath "$ONRAMP")
ONRAMP_SOURCE=$PWD
GENERATOR=$(realpath "${GENERATOR:-$ONRAMP}")
WEB=$(realpath -m "${WEB:-target/web}")
export ONRAMP GENERATOR WEB ONRAMP_SOURCE DEB_HOST_ARCH

version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)-1
# Packages of one source are the same, byte for byte.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
	export SOURCE_DATE_EPOCH
fi

work=$out/build/onramp
rm -rf "$out"
mkdir -p "$work"
cp -r packaging/debian "$work/debian"
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
cat >"$work/debian/changelog" <<END
onramp ($version) unstable; urgency=medium

  * Packaged from its source; changelog.gz has the changes.

 -- $maintainer  $(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
END
(cd "$work" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps \
	--host-arch "$DEB_HOST_ARCH" >../log 2>&1) || {
	cat "$out/build/log" >&2
	exit 1
}
mv "$out"/build/*.deb "$out"
rm -r "$out/build"
ls "$out"/*.deb
