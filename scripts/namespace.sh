#!/bin/sh
# Run a command in a new network namespace whose default congestion control is CONTROL:
#
#     namespace.sh CONTROL COMMAND...
#
# The namespace ends with the command. Exit code: that of the command, or 99 if the congestion
# control was not the default from the beginning to the end.
set -u
ipv4=/proc/sys/net/ipv4
if [ "$1" != --inside ]; then
	exec unshare --net "$0" --inside "$@"
fi
CONTROL=$2
shift 2
export CONTROL

# Never write a name that is not allowed: the kernel refuses it and leaks a reference.
case " $(cat $ipv4/tcp_allowed_congestion_control) " in
*" $CONTROL "*) ;;
*)
	echo "$CONTROL is not in $ipv4/tcp_allowed_congestion_control"
	exit 99
	;;
esac
echo "$CONTROL" >$ipv4/tcp_congestion_control
ip link set lo up

"$@"
status=$?
default=$(cat $ipv4/tcp_congestion_control)
if [ "$default" != "$CONTROL" ]; then
	echo "the default is $default, not $CONTROL as it should be"
	exit 99
fi
exit $status
