# Runs a scenario in the lab of a guest.

# The results go to the second serial port, each line behind a name.
run_lab() { # name file
	if onramp lab "$2" --json >/tmp/results 2>/tmp/error; then
		report "lab:$1" ok "$(tail -n 1 /tmp/error)"
	else
		report "lab:$1" failed "$(tail -n 8 /tmp/error)"
	fi
	sed "s/^/$1:/" /tmp/results >/dev/ttyS1
}
