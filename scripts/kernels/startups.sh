#!/bin/busybox sh
# The first program of the guest of startups.py: the lab, over each scenario.

. /report.sh
. /set-up.sh
. /lab.sh
set_up
report kernel ok "$(uname -r)"
report clock ok "$(date +%F)"
for file in /scenarios/*.toml; do
	run_lab "$(basename "$file" .toml)" "$file"
done
report end ok ''
reboot -f
