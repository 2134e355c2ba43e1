# How a guest reports its checks: each as a line on the second serial port, with its name, `ok` or
# `failed`, and what was found, separated by tabs.

report() { # check verdict detail
	local detail
	detail=$(printf %s "$3" | tr '\n\t' '  ' | cut -c 1-900)
	printf '%s\t%s\t%s\n' "$1" "$2" "$detail" >/dev/ttyS1
	echo "$1 $2 $detail"
}

# Runs a command, with at most two minutes for it, and reports whether it succeeded.
check() { # check command...
	local name=$1
	shift
	if timeout 120 "$@" >/tmp/out 2>/tmp/error; then
		report "$name" ok "$(tail -n 1 /tmp/out)"
	else
		report "$name" failed "exit code $?: $(tail -n 8 /tmp/error) $(tail -n 8 /tmp/out)"
		cat /tmp/error
	fi
}

# Waits until a command succeeds, with a hundred tries, or as many as TRIES says.
await() {
	local tries=${TRIES:-100}
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}
