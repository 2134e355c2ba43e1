#!/bin/busybox sh
# The first program of the guest: runs Onramp on the kernel that has booted. kernels.py knows which
# checks must be reported.

PEER=10.9.0.2
PORT=5001
BYTES=1000000
CONTROLS=/proc/sys/net/ipv4/tcp_available_congestion_control
DEFAULT=/proc/sys/net/ipv4/tcp_congestion_control
. /report.sh
. /set-up.sh

registered() { # congestion control
	grep -qw "$1" $CONTROLS
}

nothing_registered() {
	! grep -q onramp $CONTROLS
}

nothing_left() {
	nothing_registered && [ "$(onramp status --json)" = '[]' ] &&
		! ls -d /sys/fs/cgroup/onramp* 2>/dev/null
}

peer_listens() {
	ip netns exec peer ss -ltn | grep -q ":$PORT "
}

# Does our ss count a connection of this congestion control, and does the host's ss show it? A
# connection for small messages goes on with the avoidance alone.
is_shown() { # congestion control, avoidance
	onramp ss | grep -q "^$1: [1-9][0-9]* connection" &&
		ss -tin dst $PEER | grep -qwE "$1|$2"
}

# Sends 1 MB over the veth pair, and looks at the connection before it closes.
transfer() { # check control avoidance words-before-the-client...
	local name=$1 control=$2 avoidance=$3
	local problem='' server client received
	shift 3
	rm -f /tmp/pipe
	mkfifo /tmp/pipe
	(ip netns exec peer nc -l -p $PORT <>/tmp/silence | wc -c >/tmp/received) &
	server=$!
	await peer_listens || problem='the server does not listen'
	"$@" nc $PEER $PORT </tmp/pipe >/tmp/out 2>/tmp/error &
	client=$!
	# The open descriptor keeps the connection open. It also reads, so that nothing waits for a
	# client that does not start.
	exec 3<>/tmp/pipe
	timeout 60 head -c $BYTES /dev/zero >&3 || problem="sending stopped: $(cat /tmp/error)"
	await is_shown "$control" "$avoidance" ||
		problem="$problem ss: $(ss -tin dst $PEER)$(onramp ss 2>&1)"
	ss -tin dst $PEER >/tmp/socket
	exec 3>&-
	wait $client || problem="$problem the client failed: $(cat /tmp/error)"
	wait $server
	received=$(cat /tmp/received)
	[ "$received" = $BYTES ] || problem="$problem of $BYTES bytes $received arrived"
	if [ -z "$problem" ]; then
		report "$name" ok "$(tail -n 1 /tmp/socket)"
	else
		report "$name" failed "$problem"
	fi
}

# Loads, uses and unloads a start-up.
start_up() { # start-up congestion-control avoidance options...
	local name=$1 control=$2 avoidance=$3 label
	shift 3
	label="$name$(printf %s "$*" | tr -d ' ' | sed 's/--/+/g'):$avoidance"
	check "load:$label" onramp load "$name" --avoidance "$avoidance" "$@"
	if registered "$control"; then
		echo "$control" >$DEFAULT
		transfer "transfer:$label" "$control" "$avoidance" env
		echo cubic >$DEFAULT
		onramp unload "$name" >/tmp/out 2>/tmp/error
		if await nothing_left; then
			report "unload:$label" ok ''
		else
			report "unload:$label" failed \
				"$(cat /tmp/error $CONTROLS) $(onramp status 2>&1)"
		fi
	fi
}

# A killed exec: Linux 6.4 and later remove its registration, before that the next load does.
killed_exec() {
	local process by_kernel
	onramp exec -- sleep 1000 >/tmp/out 2>/tmp/error &
	process=$!
	if ! await registered onramp; then
		report exec:killed failed "it did not start: $(cat /tmp/error)"
	fi
	kill -9 $process
	wait $process
	await nothing_registered
	by_kernel=$?
	onramp load standard >/dev/null && onramp unload standard >/dev/null
	kill "$(pidof sleep)"
	check exec:after-kill onramp exec -- true
	if ! await nothing_left; then
		report exec:killed failed "$(cat $CONTROLS) $(onramp status) $(ls /sys/fs/cgroup)"
	elif [ $by_kernel = 0 ]; then
		report exec:killed ok 'removed by the kernel'
	else
		report exec:killed ok 'removed by the next command'
	fi
}

# Has the service counted a megabyte of a connection with the start-up?
is_counted() { # socket
	onramp metrics --socket "$1" | grep -q '^onramp_time_to_1m_seconds_count.*startup.* [1-9]'
}

# The service: a policy gives a connection its start-up and counts it, and the end undoes all. The
# time until 1 MB is counted for transfers of at most 256 round trips, and nc writes 1 kB at a time.
# So the path has an RTT that is long compared with a write, also on a busy host.
serve() {
	local service socket=/run/onramp.sock
	cat >/tmp/config.toml <<-END
		[service]
		metrics = "off"
		interval = "1 s"
		[[policy]]
		name = "all"
		destination = "$PEER"
		startup = "onramp"
		avoidance = "cubic"
	END
	onramp serve --config /tmp/config.toml --socket $socket >/tmp/serve 2>&1 &
	service=$!
	if ! await grep -q 'in force' /tmp/serve; then
		report serve failed "$(cat /tmp/serve)"
	else
		tc qdisc add dev near root netem delay 20ms
		transfer serve onramp.1 cubic env
		tc qdisc del dev near root
	fi
	if await is_counted $socket; then
		report serve:counts ok ''
	else
		report serve:counts failed "$(onramp metrics --socket $socket | grep _count)"
	fi
	kill $service
	wait $service
	if await nothing_left && ! ls -d /sys/fs/bpf/onramp* 2>/dev/null; then
		report serve:stopped ok ''
	else
		report serve:stopped failed "$(cat $CONTROLS /tmp/serve) $(ls /sys/fs/bpf)"
	fi
}

add_peer() {
	ip netns add peer
	ip link add near type veth peer name far netns peer
	ip address add 10.9.0.1/24 dev near
	ip link set near up
	ip -n peer address add $PEER/24 dev far
	ip -n peer link set far up
	# nc ends when its input does. Nobody writes into this one.
	mkfifo /tmp/silence
}

set_up
add_peer
report kernel ok "$(uname -r)"
check doctor onramp doctor
sed 's/^/doctor: /' /tmp/out
onramp list | awk '/^AVOIDANCE/ { listed = 1 } listed && $2 == "yes" { print $1 }' >/tmp/avoidances
for avoidance in $(cat /tmp/avoidances); do
	while read -r name control options; do
		# shellcheck disable=SC2086
		start_up "$name" "$control" "$avoidance" $options
	done </startups
done
check lab onramp lab /lab.toml --json --record /tmp/recording
check replay onramp replay /tmp/recording
transfer exec onramp cubic onramp exec --
killed_exec
serve
if await nothing_left; then
	report left ok 'nothing'
else
	report left failed "$(onramp status) $(cat $CONTROLS) $(ls /sys/fs/cgroup)"
fi
dmesg | grep -E 'WARNING|BUG:|Oops|general protection|Call Trace' >/tmp/out
if [ -s /tmp/out ]; then
	report log failed "$(cat /tmp/out)"
else
	report log ok 'no warning'
fi
report end ok ''
sync
reboot -f
