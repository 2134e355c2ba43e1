"""A UDP proxy that loses every n-th datagram, in a thread of its own."""

import select
import socket
import threading


class LossyProxy:
    """Forwards between one client and a server."""

    def __init__(self, server_port: int, lose_every: int):
        self.outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.outside.bind(("127.0.0.1", 0))
        self.inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.inside.connect(("127.0.0.1", server_port))
        self.port = self.outside.getsockname()[1]
        self.lose_every = lose_every
        self.lost = 0
        self.ends = False
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        client, forwarded = None, 0
        while not self.ends:
            readable, _, _ = select.select([self.outside, self.inside], [], [], 0.05)
            for end in readable:
                datagram, sender = end.recvfrom(65536)
                forwarded += 1
                # The handshake is spared, so that the test is quick.
                if forwarded > 20 and forwarded % self.lose_every == 0:
                    self.lost += 1
                elif end is self.outside:
                    client = sender
                    self.inside.send(datagram)
                elif client is not None:
                    self.outside.sendto(datagram, client)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join()
        self.inside.close()
        self.outside.close()
