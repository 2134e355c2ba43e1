#!/bin/busybox sh
# The first program of the guest of dctcp.py: DCTCP flows over a queue that marks above a threshold.
# Samples go to the second serial port, behind a line for each case.

export PATH=/usr/bin:/bin
/bin/busybox mkdir -p /proc /sys /dev /tmp /run/netns
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
# busybox would run its own smaller programs by these names.
ip() {
	/usr/bin/ip "$@"
}
tc() {
	/usr/bin/tc "$@"
}
. /report.sh

# A module loads when those that it needs have been loaded.
for again in 1 2 3; do
	find /lib/modules -name '*.ko' | while read -r file; do insmod "$file" 2>/dev/null; done
done
report kernel ok "$(uname -r)"
# The queue is the router's. In a queue of the sender's own, TCP small queues would keep the backlog
# of a connection at a millisecond, and cwnd would have no effect.
ip netns add router
ip netns add peer
ip link add sender type veth peer name back netns router
ip -n router link add out type veth peer name in netns peer
for side in "" "ip netns exec peer"; do
	$side sh -c 'echo dctcp >/proc/sys/net/ipv4/tcp_congestion_control
		echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save
		echo 4096 8388608 8388608 >/proc/sys/net/ipv4/tcp_rmem
		echo 4096 8388608 8388608 >/proc/sys/net/ipv4/tcp_wmem'
done
ip netns exec router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
# One packet is one segment, as in the simulator.
ip link set sender gso_max_segs 1 up
ip -n router link set back gso_max_segs 1 up
ip -n router link set out gso_max_segs 1 up
ip -n peer link set in gso_max_segs 1 up
ip addr add 10.9.0.1/24 dev sender
ip -n router addr add 10.9.0.2/24 dev back
ip -n router addr add 10.9.1.1/24 dev out
ip -n peer addr add 10.9.1.2/24 dev in
ip route add 10.9.1.0/24 via 10.9.0.2
ip -n peer route add 10.9.0.0/24 via 10.9.1.1
# netem holds the whole RTT on the return path.
tc -n peer qdisc add dev in root netem delay 10ms limit 10000 || report netem failed
ip netns exec peer flows receive 5001 &
sleep 0.2

qdisc() { # words of tc qdisc
	tc -n router qdisc "$@"
}

while read -r packets count; do
	qdisc del dev out root 2>/dev/null
	least=$((packets * 1514))
	qdisc add dev out root handle 1: tbf rate 100mbit burst 3028 limit 605600
	# The largest weight of tc: each average is half the last one and half the queue found.
	qdisc add dev out parent 1:1 handle 2: red limit 605600 min $least \
		max $((least + 1)) avpkt 1514 burst "$packets" \
		probability 1 bandwidth 100mbit ecn 2>/tmp/error ||
		report red failed "$(cat /tmp/error)"
	report "case:$packets:$count" ok "$(qdisc show dev out | tail -n 1)"
	flows send 10.9.1.2 5001 "$count" out 2000 4000 >/tmp/samples 2>/tmp/error
	cat /tmp/samples /tmp/error >/dev/ttyS1
	report "drops:$packets:$count" ok \
		"$(tc -n router -s qdisc show dev out | grep -E 'Sent|marked')"
	sleep 0.3
done </cases
report end ok ''
poweroff -f
