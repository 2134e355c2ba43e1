#!/bin/busybox sh
# The first program of a guest that has a disk: mounts it, and goes on with its own first program.

/bin/busybox mkdir -p /proc /sys /dev /root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
depmod
modprobe virtio_pci 2>/dev/null
modprobe virtio_blk
mount /dev/vda /root
for mounted in proc sys dev; do
	mount --move /$mounted /root/$mounted
done
exec switch_root /root /sbin/init
