#!/bin/sh
# Run packetdrill (the arguments) with the sysctl of bin/, and remove the file that some of its
# scripts leave behind.
here=$(dirname "$(realpath "$0")")
PATH="$here/bin:$PATH" "$@" &
pid=$!
wait $pid
status=$?
rm -f "/tmp/sysctl_restore_$pid.sh"
exit $status
