#!/bin/busybox sh
# The first program of the guest of receiver.py: the lab, first with the kernel's receive buffers,
# then with those that `onramp receiver load` lifts.

. /report.sh
. /set-up.sh
. /lab.sh
set_up
report kernel ok "$(uname -r)"
report clock ok "$(date +%F)"
run_lab default /scenario.toml
check load onramp receiver load --limit "64 GiB"
run_lab lifted /scenario.toml
check status onramp receiver status
check unload onramp receiver unload
report end ok ''
reboot -f
