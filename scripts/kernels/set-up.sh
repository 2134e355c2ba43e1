# What a guest needs for Onramp, after its first program has begun.

export PATH=/usr/bin:/bin
# busybox would run its own smaller `ip` by this name.
ip() {
	/usr/bin/ip "$@"
}

set_up() {
	/bin/busybox mkdir -p /proc /sys /dev /tmp /run /var
	/bin/busybox --install -s /bin
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mount -t bpf -o mode=700 bpf /sys/fs/bpf
	mount -t tmpfs tmpfs /tmp
	mount -t tmpfs tmpfs /run
	ln -s /run /var/run
	stty -F /dev/ttyS1 raw
	depmod
	for module in tun veth tcp_bbr sch_fq sch_netem tcp_diag; do
		modprobe $module 2>/dev/null
	done
	ip link set lo up
}
