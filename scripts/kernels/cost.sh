#!/bin/busybox sh
# The first program of the guest of cost.py: the measurement, whose lines go to the second serial
# port.

. /report.sh
. /set-up.sh
set_up
report kernel ok "$(uname -r)"
if ONRAMP_COST_ROUNDS=3 kernel --ignored --nocapture --test-threads 1 \
	cost_of_a_connection_with_a_small_object >/tmp/out 2>&1; then
	report cost ok ''
else
	report cost failed "$(tail -n 8 /tmp/out)"
fi
cat /tmp/out >/dev/ttyS1
reboot -f
