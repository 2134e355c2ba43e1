#!/bin/sh
# What a package or a service could leave on a host, one a line: kernel settings, routes, BPF
# objects, pins, cgroups, units, sockets, files. Numbers that the kernel gives anew are left out.
set -u

section() { # name: prefixes the lines of the standard input, in order
	sort | sed "s|^|$1: |"
}

changing='^(fs\.(dentry-state|file-nr|inode-nr|inode-state)|kernel\.(random|ns_last_pid|pty\.nr))'
sysctl -a 2>/dev/null | grep -vE "$changing" | section sysctl
for version in -4 -6; do
	ip $version route show table all | sed -E 's/ expires [^ ]*//'
	ip $version rule show
done | section route
{
	ip -brief link
	tc qdisc show
	ip netns list
} | section network
# The first line of each object has its kind, name and tag.
for kind in prog map link btf struct_ops; do
	bpftool $kind show | grep -E '^[0-9]' | sed -E 's/^[0-9]+: */'$kind' /; s/ prog_ids .*//'
done | section bpf
bpftool cgroup tree | sed -E 's/^(( *)[0-9]+) +/\2/' | section bpf-cgroup
find /sys/fs/bpf | section pin
find /sys/fs/cgroup -type d | section cgroup
systemctl list-unit-files --no-legend --no-pager | section unit-file
# network-pre.target stays reached once a unit has asked for it.
systemctl list-units --all --plain --no-legend --no-pager |
	awk '$1 != "network-pre.target" { print $1, $2, $3, $4 }' | section unit
ss -lntuH | awk '{ print $1, $5 }' | section listening
cut -d ' ' -f 1 /proc/modules | section module
ps -eo comm= | grep -v '^kworker' | sort -u | grep -vE '^(sh|ps|sort|grep|sed|snapshot)' |
	section process
# Each file with its kind, owner, mode and size; not what apt, dpkg and journald write about their
# work. Those of /etc and /var with their content too.
find / -xdev '(' -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp \
	-o -path /test -o -path /var/log -o -path /var/cache -o -path /var/lib/apt \
	-o -path /var/tmp -o -path /var/lib/systemd/random-seed \
	-o -path /var/lib/systemd/timesync ')' -prune -o ! -name '*-old' \
	! -path '/var/lib/dpkg/*lock*' '(' -type d -printf '%p %y %u:%g %m\n' \
	-o -printf '%p %y %u:%g %m %s %l\n' ')' | section file
find /etc /var/lib -xdev -type f ! -name '*-old' ! -path '/var/lib/apt/*' \
	! -path '/var/lib/systemd/random-seed' ! -path '/var/lib/dpkg/*lock*' \
	-exec sha256sum {} + | awk '{ print $2, $1 }' | section content
