#!/usr/bin/env python3
"""server.py PORT SIZE RATE: send SIZE bytes to each client, at RATE reserved bytes a second."""

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
                print("cannot reserve:", error, file=sys.stderr)  # and sends as any other
            connection.sendall(bytes(size))
