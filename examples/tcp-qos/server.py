#!/usr/bin/env python3
"""server.py PORT SIZE RATE: sends SIZE bytes to each client that connects.

The connections have a reserved rate of RATE bytes per second.
"""

import socket
import struct
import sys

TCP_QOS = 0x4F51  # bpf/include/onramp/tcp_qos.h

port, size, rate = map(int, sys.argv[1:])
with socket.create_server(("", port)) as server:
    while True:
        connection, _ = server.accept()
        with connection:
            try:
                connection.setsockopt(socket.IPPROTO_TCP, TCP_QOS, struct.pack("=QII", rate, 0, 0))
            except OSError as error:
                # The connection sends without a reservation.
                print("cannot reserve:", error, file=sys.stderr)
            connection.sendall(bytes(size))
