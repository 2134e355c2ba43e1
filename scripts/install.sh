#!/bin/sh
# Install the programs and what belongs to them, or remove it: `make install`, `make uninstall` and
# the Debian packages.
#
#     scripts/install.sh install|uninstall
#
# Environment, with defaults:
#
#     ONRAMP=target/release/onramp    the program; onramp-study is beside it
#     PACKAGES="onramp onramp-study"  which of them to install
#     GENERATOR=ONRAMP                what writes pages and completions, where the programs are
#                                     another architecture's; its onramp-study is beside it
#     WEB=target/web                  the page that `onramp web` serves, where it was built
#     PREFIX=/usr/local, SYSCONFDIR=/etc, UNITDIR=PREFIX/lib/systemd/system,
#     ZSHDIR=PREFIX/share/zsh/site-functions
#     DESTDIR=                        prepended to all of them
#     STRIP=strip                     `STRIP=:` leaves debug information in the program
#
# `install` writes down each file with its checksum, and each folder that it made. `uninstall`
# removes these, but for a configuration that was changed.
set -eu
cd "$(dirname "$0")/.."
: "${ONRAMP:=target/release/onramp}" "${DESTDIR:=}" "${PREFIX:=/usr/local}" "${SYSCONFDIR:=/etc}"
: "${UNITDIR:=$PREFIX/lib/systemd/system}" "${ZSHDIR:=$PREFIX/share/zsh/site-functions}"
: "${WEB:=target/web}" "${STRIP:=strip}" "${GENERATOR:=$ONRAMP}"
: "${PACKAGES:=onramp onramp-study}"
doc=$PREFIX/share/doc/onramp
study_doc=$PREFIX/share/doc/onramp-study
config=$SYSCONFDIR/onramp/config.toml
list=$DESTDIR$doc/installed-files
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

checksum() { # file
	sha256sum <"$1" | cut -d ' ' -f 1
}

make_folder() { # path
	if [ ! -d "$DESTDIR$1" ]; then
		case $1 in ?*/*) make_folder "${1%/*}" ;; esac
		mkdir "$DESTDIR$1"
		echo "folder $1" >>"$work/list"
	fi
}

put() { # mode source target
	make_folder "$(dirname "$3")"
	install -m "$1" "$2" "$DESTDIR$3"
	echo "$(checksum "$DESTDIR$3") $3" >>"$work/list"
}

put_all() { # folder target: all files below the folder
	find -L "$1" -type f | sort | while read -r file; do
		put 644 "$file" "$2/${file#"$1"/}"
	done
}

# The configuration is the administrator's: one that was changed stays.
put_config() {
	if [ -e "$DESTDIR$config" ] && ! is_as_installed "$config"; then
		echo "install: $DESTDIR$config stays as it is; packaging/config.toml is the default"
		# It is ours to remove if it is the default again.
		echo "$(checksum packaging/config.toml) $config" >>"$work/list"
		return
	fi
	put 644 packaging/config.toml "$config"
}

is_as_installed() { # path
	[ -e "$list" ] && grep -qxF "$(checksum "$DESTDIR$1") $1" "$list"
}

# A program, its pages and completions, its changelog and its licences.
put_program() { # name, folder of documents
	cp "$(dirname "$ONRAMP")/$1" "$work/$1"
	"$STRIP" "$work/$1"
	put 755 "$work/$1" "$PREFIX/bin/$1"
	generator=$(dirname "$GENERATOR")/$1
	"$generator" manual "$work/man-$1" >"$work/log"
	put_all "$work/man-$1" "$PREFIX/share/man/man1"
	"$generator" completions bash >"$work/bash"
	put 644 "$work/bash" "$PREFIX/share/bash-completion/completions/$1"
	"$generator" completions zsh >"$work/zsh"
	put 644 "$work/zsh" "$ZSHDIR/_$1"
	"$generator" completions fish >"$work/fish"
	put 644 "$work/fish" "$PREFIX/share/fish/vendor_completions.d/$1.fish"
	put 644 CHANGELOG.md "$2/changelog"
	scripts/copyright.py "$1" >"$work/copyright"
	put 644 "$work/copyright" "$2/copyright"
}

install_onramp() {
	put_program onramp "$doc"
	put 644 bpf/include/onramp/tcp_qos.h "$PREFIX/include/onramp/tcp_qos.h"
	put 644 README.md "$doc/README.md"
	find docs -name '*.md' | sort | while read -r file; do
		put 644 "$file" "$doc/$file"
	done
	put_all examples/tcp-qos "$doc/examples/tcp-qos"
	put_all packaging/grafana "$doc/examples/grafana"
	put_all packaging/prometheus "$doc/examples/prometheus"
	sed "s|/usr/bin/onramp|$PREFIX/bin/onramp|g" packaging/onramp.service >"$work/unit"
	put 644 "$work/unit" "$UNITDIR/onramp.service"
	put_config
}

install_study() {
	put_program onramp-study "$study_doc"
	put_all scenarios "$study_doc/examples/scenarios"
	if [ -e "$WEB/index.html" ]; then
		put_all "$WEB" "$PREFIX/share/onramp/web"
	else
		echo "install: without the playground: $WEB has no page; \`make web\` builds it" >&2
	fi
}

# What the last installation had and this one does not. Its folders are ours still.
keep_up_with_last() {
	[ -e "$list" ] || return 0
	cut -d ' ' -f 2- "$work/list" >"$work/paths"
	while read -r what path; do
		if [ "$what" = folder ]; then
			echo "folder $path" >>"$work/list"
		elif ! grep -qxF "$path" "$work/paths"; then
			rm -f "$DESTDIR$path"
		fi
	done <"$list"
}

case ${1:-} in
install)
	[ -z "$DESTDIR" ] || mkdir -p "$DESTDIR"
	for package in $PACKAGES; do
		case $package in
		onramp) install_onramp ;;
		onramp-study) install_study ;;
		*) echo "install: there is no package $package" >&2 && exit 2 ;;
		esac
	done
	keep_up_with_last
	make_folder "$doc"
	echo "- $doc/installed-files" >>"$work/list"
	sort -u "$work/list" >"$list"
	;;
uninstall)
	if [ ! -e "$list" ]; then
		echo "uninstall: $list is missing: nothing to remove in $DESTDIR$PREFIX" >&2
		exit 1
	fi
	cp "$list" "$work/list"
	while read -r what path; do
		if [ "$path" = "$config" ] && [ -e "$DESTDIR$path" ] &&
			! is_as_installed "$path"; then
			echo "uninstall: $DESTDIR$path stays, because it was changed"
		elif [ "$what" != folder ] && [ "$path" != "$doc/installed-files" ]; then
			rm -f "$DESTDIR$path"
		fi
	done <"$work/list"
	rm -f "$list"
	# Inner folders first. What somebody else put there keeps its folder.
	sed -n 's/^folder //p' "$work/list" | sort -r | while read -r folder; do
		rmdir --ignore-fail-on-non-empty "$DESTDIR$folder" 2>/dev/null || true
	done
	;;
*)
	echo "usage: scripts/install.sh install|uninstall" >&2
	exit 2
	;;
esac
