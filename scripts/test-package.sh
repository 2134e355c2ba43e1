#!/bin/sh
# Try the packages with the programs of the tests (the debug build): `make install` and `uninstall`
# leave nothing, and the packages have the files of `make install`.
set -eu
cd "$(dirname "$0")/.."
: "${CARGO_TARGET_DIR:=target}"
ONRAMP=$CARGO_TARGET_DIR/debug/onramp
WEB=$CARGO_TARGET_DIR/web
export ONRAMP WEB
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A system with some folders, and a file of somebody else.
mkdir -p "$work/root/usr/local/share/man"
echo 'of somebody else' >"$work/root/usr/local/share/man/file"
listing() {
	(cd "$work/root" && find . -exec stat --printf '%n %F %a %s\n' {} + | sort)
}
listing >"$work/before"
DESTDIR=$work/root scripts/install.sh install
(cd "$work/root/usr/local" && find . -type f | sed 's/^\.//' | sort) >"$work/installed"
# A second installation replaces the first.
DESTDIR=$work/root scripts/install.sh install
DESTDIR=$work/root scripts/install.sh uninstall
listing | diff "$work/before" - || {
	echo 'test-package: make uninstall left what stands above' >&2
	exit 1
}

if ! command -v dpkg-deb >/dev/null; then
	echo 'test-package: skipped: the package of Debian is built on Debian'
	exit 0
fi
scripts/setup.sh debhelper
DEB_BUILD_OPTIONS=noautodbgsym DEB_COMPRESSION=-Zgzip scripts/deb.sh "$work/deb" >/dev/null

# Debian has other folders for completions and units, its own changelog, and compresses pages. The
# configuration is in /etc both times.
for package in "$work"/deb/*.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -t
done | grep -v '/$' |
	sed -e 's/\.gz$//' -e 's|^\./usr||' -e 's|^\.||' \
		-e 's|vendor-completions|site-functions|' -e '\|/changelog.Debian$|d' \
		-e '\|^/etc/|d' -e '\|/lintian/|d' | sort >"$work/packaged"
sed -e '\|/installed-files$|d' -e '\|share/man/file$|d' "$work/installed" |
	diff - "$work/packaged" || {
	echo 'test-package: make install (<) and the packages (>) differ' >&2
	exit 1
}
echo 'test-package: make install and the packages have the same files, and uninstall removes them'
