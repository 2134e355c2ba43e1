"""Clients that acknowledge what they have not received: noq ends their connections.

A sender that believed them would send faster than the path carries (RFC 9000, section 21.4).
"""

from aioquic import tls
from client import get

PROTOCOL_VIOLATION = "closed 0xa"


def acknowledge(ahead):
    """Change the ACK frames: `ahead` gives the last packet number from the largest received."""

    def bend(connection):
        application = connection._spaces[tls.Epoch.ONE_RTT]
        write = connection._write_ack_frame

        def write_too_much(*, builder, space, now):
            if space is application and len(space.ack_queue) > 0:
                largest = space.ack_queue[-1].stop - 1
                for number in ahead(largest):
                    space.ack_queue.add(number)
            write(builder=builder, space=space, now=now)

        connection._write_ack_frame = write_too_much

    return bend


def test_an_ack_of_a_packet_that_was_never_sent_ends_the_connection(serve):
    server = serve()
    bend = acknowledge(lambda largest: [largest + 1_000_000])
    ended, received = get(server.port, "/file", server.certificate, bend)
    assert ended.startswith(PROTOCOL_VIOLATION), ended
    assert "unsent packet acked" in ended
    assert len(received) < 100_000
    server.end()


def test_acks_that_come_too_early_end_the_connection(serve):
    # 64 is more than the packets that this client reads between two of its ACKs, 1 ms apart.
    # So its guesses run ahead of the server, however slow the machine is.
    server = serve()
    bend = acknowledge(lambda largest: range(largest + 1, largest + 65))
    ended, received = get(server.port, "/bytes/5000000", server.certificate, bend)
    assert ended.startswith(PROTOCOL_VIOLATION), ended
    assert len(received) < 2_000_000
    server.end()


def test_acks_of_all_packets_before_the_last_end_the_connection(serve):
    # This hides losses from the sender.
    server = serve()
    bend = acknowledge(range)
    ended, received = get(server.port, "/bytes/5000000", server.certificate, bend)
    assert ended.startswith(PROTOCOL_VIOLATION), ended
    assert len(received) < 2_000_000
    server.end()
