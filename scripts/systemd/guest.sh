#!/bin/sh
# The checks on a Debian 12 with systemd as process 1. run.py knows which must be reported. The
# guest boots twice: the second time with a newer kernel, and the argument `second`.
set -u
cd /test
# shellcheck source=scripts/kernels/report.sh
. ./report.sh
SERVER=10.9.0.1
UNIT=onramp.service
METRICS=http://127.0.0.1:9464/metrics

now() {
	date +%s.%N
}

# Runs a command, and sets `took` to the seconds.
timed() {
	local begin
	begin=$(now)
	timeout 120 "$@" >/tmp/out 2>/tmp/error
	result=$?
	took=$(echo "$begin $(now)" | awk '{ printf "%.2f", $2 - $1 }')
	return $result
}

is_at_most() { # seconds limit
	echo "$1 $2" | awk '{ exit !($1 <= $2) }'
}

# Reports success with a detail, or the failure that stands in `problem`.
verdict() { # check detail
	if [ -z "$problem" ]; then
		report "$1" ok "$2"
	else
		report "$1" failed "$problem"
		journalctl -u onramp -n 20 --no-pager
	fi
	problem=''
}

wrong() { # text...
	problem="$problem $*;"
}
problem=''

in_peer() {
	ip netns exec peer "$@"
}

download() { # file
	in_peer curl -sf --max-time 100 -o /dev/null -w '%{size_download}\n' "http://$SERVER/$1"
}

# The number of connections of the server that use a congestion control of this pattern.
using() {
	ss -tiHn 'sport = :80' | grep -cwE "$1" || true
}

main_process() {
	systemctl show --property MainPID --value $UNIT
}

is_served_by_another_than() { # process
	[ "$(main_process)" != 0 ] && [ "$(main_process)" != "$1" ] &&
		systemctl is-active --quiet $UNIT
}

metric() { # pattern of a line: the sum of the values
	curl -sf $METRICS | grep -E "$1" | awk '{ sum += $NF } END { print sum + 0 }'
}

is_counted() { # pattern, at least
	[ "$(metric "$1")" -ge "$2" ]
}

downloads_run() {
	[ "$(ss -tHn state established 'sport = :80' | wc -l)" -ge 20 ]
}

nothing_left() {
	! grep -q onramp /proc/sys/net/ipv4/tcp_available_congestion_control &&
		! ls -d /sys/fs/bpf/onramp* /sys/fs/cgroup/onramp* 2>/dev/null &&
		bpftool prog show >/tmp/programs && ! grep -qi onramp /tmp/programs
}

# Opens idle connections; with `onramp.N` if the service's policy is in force.
open_idle() { # count
	rm -f /tmp/idle /tmp/again
	in_peer ./idle.sh $SERVER "$1" &
	idle=$!
	TRIES=300 await grep -qx "$1" /tmp/idle || wrong "only $(cat /tmp/idle) connections"
}

# Uses the idle connections once more, which end then.
close_idle() { # count
	touch /tmp/again
	wait $idle
	grep -qx "$1" /tmp/answered || wrong "$(cat /tmp/answered) of $1 connections answered again"
}

# New connections have the start-up.
starts_up() {
	open_idle 5
	[ "$(using 'onramp\.[0-9]+')" -ge 5 ] ||
		wrong "new connections have: $(ss -tiHn 'sport = :80' | tr '\n' ' ' | cut -c 1-300)"
	close_idle 5
}

configure() { # percent
	cat >/etc/onramp/config.toml <<-END
		[service]
		metrics = "127.0.0.1:9464"
		interval = "1 s"
		[[policy]]
		name = "canary"
		unit = "nginx.service"
		local_port = 80
		startup = "onramp"
		percent = $1
	END
}

start_service() {
	timed systemctl start $UNIT || wrong "start: $(cat /tmp/error)"
}

set_up() {
	stty -F /dev/ttyS1 raw
	mount -o remount,rw / 2>/dev/null
	for module in veth sch_netem tcp_diag; do
		modprobe $module
	done
	ip netns add peer
	ip link add near type veth peer name far netns peer
	ip address add $SERVER/24 dev near
	ip link set near up
	ip -n peer address add 10.9.0.2/24 dev far
	ip -n peer link set far up
	tc qdisc add dev near root netem delay 20ms rate 100mbit
	ip netns exec peer tc qdisc add dev far root netem delay 20ms
	await systemctl is-active --quiet nginx
	download small >/dev/null
	ss -tin >/dev/null
	# Until all that booting started has ended
	TRIES=600 await sh -c '[ -z "$(systemctl list-jobs --no-legend)" ]'
	sleep 2
}

# The first boot: from the installation to purge, and the host as it was before.
first() {
	./snapshot.sh >before

	timed apt-get install -qq ./onramp.deb || wrong "$(tail -n 5 /tmp/error)"
	! systemctl is-enabled --quiet $UNIT || wrong 'the unit is enabled without being asked for'
	! systemctl is-active --quiet $UNIT || wrong 'the service runs without being asked for'
	nothing_left || wrong "in the kernel: $(cat /tmp/programs)"
	verdict install "$took s"

	check doctor onramp doctor

	timed systemctl enable --now $UNIT || wrong "$(cat /tmp/error)"
	systemctl is-active --quiet $UNIT || wrong "$(systemctl status --no-pager $UNIT)"
	[ "$(systemctl show --property NRestarts --value $UNIT)" = 0 ] || wrong 'it was restarted'
	verdict enable "$took s"

	open_idle 5
	[ "$(using 'onramp\.[0-9]+')" = 0 ] || wrong 'a connection has a start-up'
	close_idle 5
	verdict as-shipped 'no connection changed'

	configure 50
	timed systemctl reload $UNIT || wrong "$(cat /tmp/error)"
	reload=$took
	for _ in $(seq 40); do
		[ "$(download 100k)" = 100000 ] || wrong 'a download is not whole'
	done
	await is_counted '^onramp_time_to_100k_seconds_count.*group="startup"' 5 ||
		wrong "$(curl -s $METRICS | grep -E '100k_seconds_count|connections_total')"
	await is_counted '^onramp_time_to_100k_seconds_count.*group="control"' 5 ||
		wrong "$(curl -s $METRICS | grep -E '100k_seconds_count|connections_total')"
	counts="$(metric '^onramp_connections_total.*group="startup"') with the start-up,"
	counts="$counts $(metric '^onramp_connections_total.*group="control"') without"
	verdict canary "$counts"

	configure 100
	systemctl reload $UNIT || wrong 'the reload failed'
	starts_up
	verdict reload "$reload s"

	echo 'percent = "many"' >>/etc/onramp/config.toml
	! timed systemctl reload $UNIT || wrong 'the reload of a wrong configuration succeeded'
	await is_counted '^onramp_reloads_total.*refused' 1 || wrong 'the refusal is not counted'
	starts_up
	configure 100
	systemctl reload $UNIT || wrong 'the reload of the mended configuration failed'
	verdict wrong-configuration "$(metric '^onramp_reloads_total.*refused') refused"

	process=$(main_process)
	begin=$(now)
	kill -9 "$process"
	starts_up
	TRIES=300 await is_served_by_another_than "$process" || wrong 'it was not started again'
	took=$(echo "$begin $(now)" | awk '{ printf "%.1f", $2 - $1 }')
	starts_up
	verdict killed "$took s"

	process=$(main_process)
	begin=$(now)
	kill -STOP "$process"
	tries=900
	while [ -e "/proc/$process" ] && [ $tries -gt 0 ]; do
		sleep 0.2
		tries=$((tries - 1))
	done
	TRIES=300 await is_served_by_another_than "$process" || wrong 'the watchdog did nothing'
	took=$(echo "$begin $(now)" | awk '{ printf "%.0f", $2 - $1 }')
	starts_up
	verdict watchdog "$took s"

	process=$(main_process)
	for i in $(seq 20); do
		download slow >/tmp/load-$i &
		loads="${loads:-} $!"
	done
	TRIES=300 await downloads_run || wrong "before the upgrade: $(ss -tHn 'sport = :80')"
	timed apt-get install -qq ./newer.deb || wrong "$(tail -n 5 /tmp/error)"
	[ "$(main_process)" = "$process" ] || wrong 'the service has another process'
	[ "$(readlink "/proc/$process/exe")" = /usr/bin/onramp ] ||
		wrong "it runs $(readlink "/proc/$process/exe")"
	dpkg-query --show --showformat '${Version}' onramp | grep -q newer ||
		wrong 'the package is the old one'
	downloads_run || wrong "after the upgrade: $(ss -tHn 'sport = :80')"
	starts_up
	# shellcheck disable=SC2086
	wait $loads
	[ "$(cat /tmp/load-* | grep -cx 1000000)" = 20 ] || wrong "arrived: $(cat /tmp/load-*)"
	verdict upgrade "$took s, 20 of 20 downloads went on"

	switch_off off
	start_service
	# systemd lets a process go on that got SIGSTOP; a frozen cgroup stays frozen.
	echo 1 >/sys/fs/cgroup/system.slice/$UNIT/cgroup.freeze
	switch_off off:frozen
	start_service
	kill -9 "$(main_process)"
	switch_off off:killed

	runc run --detach --bundle container onramp </dev/null >/tmp/container 2>&1 ||
		wrong "runc: $(cat /tmp/container)"
	await is_counted '^onramp_policy_info' 1 || wrong "$(tail -n 5 /tmp/container)"
	starts_up
	runc kill onramp TERM
	await nothing_left || wrong "left: $(cat /tmp/programs)"
	await sh -c 'runc state onramp | grep -q stopped' || wrong 'it did not end'
	runc delete onramp
	verdict container 'new connections have the start-up; nothing is left after SIGTERM'

	start_service
	open_idle 50
	timed systemctl stop $UNIT || wrong "$(cat /tmp/error)"
	close_idle 50
	await nothing_left || wrong "left: $(cat /tmp/programs)"
	verdict stop "$took s"

	start_service
	open_idle 50
	timed apt-get remove -qq onramp || wrong "$(tail -n 5 /tmp/error)"
	[ ! -e /usr/bin/onramp ] || wrong 'the program is still there'
	[ "$(using 'onramp\.[0-9]+')" = 0 ] || wrong "$(using 'onramp\.[0-9]+') connections keep it"
	await nothing_left || wrong "left: $(cat /tmp/programs)"
	close_idle 50
	verdict remove "$took s, 50 of 50 connections went on"

	timed apt-get purge -qq onramp || wrong "$(tail -n 5 /tmp/error)"
	systemctl reset-failed
	sleep 2
	verdict purge "$took s"
	./snapshot.sh >after
	diff before after >difference || wrong "$(grep '^[<>]' difference)"
	cat difference
	verdict as-before "$(wc -l <before) lines equal"
}

# `onramp off` with 50 idle connections.
switch_off() { # check
	open_idle 50
	[ "$(using 'onramp\.[0-9]+')" -ge 50 ] || wrong "only $(using 'onramp\.[0-9]+') start"
	timed onramp off || wrong "exit code $result: $(cat /tmp/error)"
	[ "$(using 'onramp\.[0-9]+')" = 0 ] || wrong "$(using 'onramp\.[0-9]+') connections keep it"
	nothing_left || wrong "left: $(cat /tmp/programs)"
	! systemctl is-active --quiet $UNIT || wrong 'the service runs'
	is_at_most "$took" 1 || wrong "it took $took s"
	close_idle 50
	verdict "$1" "$took s, 50 of 50 connections went on"
}

# Before the reboot: an enabled service that gives all connections a start-up.
install_again() {
	apt-get install -qq ./onramp.deb >/tmp/out 2>/tmp/error || wrong "$(cat /tmp/error)"
	configure 100
	systemctl enable --now $UNIT 2>/tmp/error || wrong "$(cat /tmp/error)"
	starts_up
	verdict again ''
}

since_boot() { # property unit
	systemctl show --property "$1" --value "$2"
}

second() {
	systemctl is-active --quiet $UNIT || wrong "$(systemctl status --no-pager $UNIT)"
	[ "$(systemctl show --property NRestarts --value $UNIT)" = 0 ] || wrong 'it was restarted'
	ready=$(since_boot ActiveEnterTimestampMonotonic $UNIT)
	server=$(since_boot ExecMainStartTimestampMonotonic nginx.service)
	[ "$ready" -lt "$server" ] || wrong "nginx started at $server us, $UNIT was ready at $ready"
	starts_up
	ready=$(echo "$ready" | awk '{ printf "%.1f", $1 / 1000000 }')
	verdict boot "ready $ready s after the kernel began"

	open_idle 50
	timed apt-get purge -qq onramp || wrong "$(tail -n 5 /tmp/error)"
	[ "$(using 'onramp\.[0-9]+')" = 0 ] || wrong "$(using 'onramp\.[0-9]+') connections keep it"
	await nothing_left || wrong "left: $(cat /tmp/programs)"
	close_idle 50
	verdict purge:live "$took s, 50 of 50 connections went on"
	systemctl reset-failed
	for kind in file content unit-file pin; do
		grep "^$kind: " before
	done >expected
	./snapshot.sh | grep -E '^(file|content|unit-file|pin): ' >found
	sort found >found-sorted
	sort expected | diff - found-sorted >difference || wrong "$(grep '^[<>]' difference)"
	cat difference
	verdict files-as-before ''
}

end() {
	dmesg | grep -E 'WARNING|BUG:|Oops|general protection|Call Trace' >/tmp/out
	if [ -s /tmp/out ]; then
		report "log:$1" failed "$(cat /tmp/out)"
	else
		report "log:$1" ok 'no warning'
	fi
	report "end:$1" ok ''
	sync
	systemctl poweroff
}

set_up
if [ ! -e /test/booted ]; then
	touch /test/booted
	report kernel:first ok "$(uname -r)"
	report systemd ok "$(systemctl --version | head -1)"
	first
	install_again
	end first
else
	report kernel:second ok "$(uname -r)"
	second
	end second
fi
