#!/usr/bin/env bash
# Install, run, upgrade, remove and purge the Debian packages in a clean Debian 12, and compare the
# files of the system before and after.
#
#     scripts/test-deb.sh ONRAMP.deb ONRAMP-STUDY.deb
#
# The system is a folder with Debian's smallest set of packages, from the mirror that apt uses here.
# Without root, without mmdebstrap or without a mirror the test says so and passes. Nothing in the
# folder can reach the kernel: capabilities for BPF, networks and mounts are taken away first.
set -euo pipefail
cd "$(dirname "$0")/.."
deb=$1
study=$2

skip() {
	echo "test-deb: skipped: $*"
	exit 0
}
[ "$(id -u)" = 0 ] || skip "it needs root"
command -v mmdebstrap >/dev/null || skip "it needs mmdebstrap (apt-get install mmdebstrap)"
site=$(apt-get indextargets --format '$(SITE) $(CODENAME)' 2>/dev/null |
	sed -n 's/ bookworm$//p' | sort -u | head -1)
[ -n "$site" ] || skip "apt knows no mirror of Debian 12 here"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "test-deb: line $LINENO failed" >&2' ERR
root=$work/root

fail() {
	echo "test-deb: $*" >&2
	exit 1
}

# Root of the folder alone.
inside() {
	local capabilities=-sys_admin,-net_admin,-bpf,-perfmon,-sys_module,-sys_ptrace,-sys_boot
	setpriv --bounding-set "$capabilities" --inh-caps -all chroot "$root" \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}

apt() { # arguments of apt-get
	inside apt-get -qq -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root "$@" \
		>"$work/log" 2>&1 || {
		cat "$work/log" >&2
		fail "apt-get $* failed"
	}
}

# Each file with its kind, owner, mode and content; not what apt and dpkg write about their work.
listing() {
	(
		cd "$root"
		find . -xdev '(' -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp \
			-o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt ')' -prune \
			-o ! -name '*-old' ! -path './var/lib/dpkg/*lock*' -print0 >"$work/files"
		xargs -0 stat --printf '%n %F %U:%G %a %N\n' <"$work/files" | sort
		# It says so where a name is no file's.
		{ xargs -0 sha256sum <"$work/files" 2>/dev/null || true; } | sort -k 2
	)
}

# The lists of packages are not needed: all that Onramp depends on is in the folder.
mmdebstrap --quiet --variant=apt --include=init-system-helpers bookworm "$root" "$site" \
	>"$work/log" 2>&1 || {
	tail -3 "$work/log"
	skip "the mirror gave no Debian 12"
}
listing >"$work/before"

cp "$deb" "$root/tmp/onramp.deb"
apt install --no-install-recommends /tmp/onramp.deb
inside onramp --version
inside onramp list >"$work/list"
grep -q '^onramp ' "$work/list" || fail 'onramp list does not list onramp'
scenario=/usr/share/doc/onramp-study/examples/scenarios/wan-paper.toml
if inside onramp sim $scenario 2>"$work/missing" ||
	! grep -q 'install the package onramp-study' "$work/missing"; then
	fail 'without onramp-study, onramp sim does not name the package'
fi
cp "$study" "$root/tmp/onramp-study.deb"
apt install --no-install-recommends /tmp/onramp-study.deb
for library in $(inside ldd /usr/bin/onramp /usr/bin/onramp-study |
	sed -n 's/^\t\([^ ]*\) .*/\1/p'); do
	case $library in
	linux-vdso.so.1 | libc.so.6 | libm.so.6 | libgcc_s.so.1) ;;
	/lib64/ld-linux-* | /lib/ld-linux-*) ;;
	*) fail "a program needs $library, which is none of libc's" ;;
	esac
done
inside onramp sim $scenario --skip-missing \
	--out /tmp/out >/dev/null
[ -s "$root/tmp/out/report.html" ] || fail 'onramp sim wrote no report'
if inside onramp doctor >"$work/doctor"; then
	fail 'onramp doctor found nothing missing in a folder without /sys'
fi
for file in share/man/man1/onramp.1.gz share/man/man1/onramp-sim.1.gz include/onramp/tcp_qos.h \
	share/bash-completion/completions/onramp share/zsh/vendor-completions/_onramp \
	share/fish/vendor_completions.d/onramp.fish share/doc/onramp/copyright \
	share/doc/onramp/changelog.gz share/doc/onramp-study/examples/scenarios/demo.toml \
	lib/systemd/system/onramp.service; do
	[ -s "$root/usr/$file" ] || fail "/usr/$file is missing"
done

# An upgrade keeps a changed configuration.
inside onramp serve --check
echo '# changed here' >>"$root/etc/onramp/config.toml"
dpkg-deb --raw-extract "$deb" "$work/newer"
sed -i 's/^Version: .*/&+newer/' "$work/newer/DEBIAN/control"
dpkg-deb -Znone --root-owner-group --build "$work/newer" "$root/tmp/newer.deb" >/dev/null
apt install --no-install-recommends /tmp/newer.deb
inside dpkg-query --show --showformat '${Version}' onramp | grep -q '+newer$' ||
	fail 'the newer package is not installed'
grep -q '^# changed here' "$root/etc/onramp/config.toml" ||
	fail 'the upgrade replaced a changed configuration'

apt remove onramp onramp-study
[ ! -e "$root/usr/bin/onramp" ] && [ ! -e "$root/usr/bin/onramp-study" ] ||
	fail 'a program is there after remove'
apt purge onramp onramp-study
listing >"$work/after"
diff "$work/before" "$work/after" || fail 'the lines above differ from before the installation'
echo "test-deb: installed, run, upgraded, removed and purged in Debian 12: nothing is left"
