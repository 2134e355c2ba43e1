#!/bin/busybox sh
# The first program of the guest of receiver.py: the lab, first with the kernel's receive buffers,
# then with those that `onramp receiver load` lifts. The results go to the second serial port, each
# line behind the name of its receiver.

. /report.sh
. /set-up.sh
set_up
report kernel ok "$(uname -r)"
report clock ok "$(date +%F)"

run() { # receiver
	if onramp lab /scenario.toml --json >/tmp/results 2>/tmp/error; then
		report "lab:$1" ok "$(tail -n 1 /tmp/error)"
	else
		report "lab:$1" failed "$(tail -n 8 /tmp/error)"
	fi
	sed "s/^/$1:/" /tmp/results >/dev/ttyS1
}

run default
check load onramp receiver load --limit "64 GiB"
run lifted
check status onramp receiver status
check unload onramp receiver unload
report end ok ''
reboot -f
