#!/bin/sh
# A redis-server and one run of redis-benchmark, which prints CSV. The last two lines are the CPU
# time of the server in seconds, user and system:
#
#     block.sh SERVER_CPU CLIENT_CPU REQUESTS CLIENTS
#
# The caller has made a network namespace for them. Nothing is written to a disk.
set -eu
log=$(mktemp)
taskset -c "$1" redis-server --bind 127.0.0.1 --port 6379 --save '' --appendonly no \
	--daemonize no >"$log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true; rm -f "$log"' EXIT
trap 'exit 143' TERM INT

until redis-cli -h 127.0.0.1 ping >/dev/null 2>&1; do
	if ! kill -0 $server 2>/dev/null; then
		cat "$log" >&2
		exit 1
	fi
	sleep 0.02
done
taskset -c "$2" redis-benchmark -h 127.0.0.1 -t get,set -n "$3" -c "$4" -P 1 --csv
redis-cli -h 127.0.0.1 info cpu | tr -d '\r' | grep -E '^used_cpu_(user|sys):'
