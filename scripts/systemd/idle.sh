#!/bin/bash
# Opens COUNT connections to the server and gets a small page over each. They stay open and idle.
# When /tmp/again appears, it gets the page again over each, and writes how many answered.
#
#     idle.sh SERVER COUNT
rm -f /tmp/again /tmp/idle /tmp/answered

fetch() { # file descriptor
	printf 'GET /small HTTP/1.1\r\nHost: server\r\n\r\n' >&"$1"
	local line
	while read -r -t 20 line <&"$1"; do
		[ "$line" = small ] && return
	done
	return 1
}

open=()
for ((i = 0; i < $2; i++)); do
	exec {descriptor}<>"/dev/tcp/$1/80" && fetch "$descriptor" && open+=("$descriptor")
done
echo ${#open[@]} >/tmp/idle
until [ -e /tmp/again ]; do
	sleep 0.1
done
answered=0
for descriptor in "${open[@]}"; do
	fetch "$descriptor" && answered=$((answered + 1))
done
echo $answered >/tmp/answered
