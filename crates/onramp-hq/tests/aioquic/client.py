"""A client of aioquic that speaks HTTP/0.9 over QUIC streams."""

import asyncio
import ssl

from aioquic.asyncio import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StreamDataReceived, StreamReset

ALPN = "hq-interop"


class Downloads(QuicConnectionProtocol):
    """Receives one download."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.received = bytearray()
        self.ended = asyncio.get_running_loop().create_future()

    def quic_event_received(self, event):
        """Collect data until the end of the stream or of the connection."""
        match event:
            case StreamDataReceived(data=data, end_stream=is_end):
                self.received += data
                if is_end and not self.ended.done():
                    self.ended.set_result("complete")
            case StreamReset(error_code=code):
                self.ended.set_result(f"reset {code}")
            case ConnectionTerminated(error_code=code, reason_phrase=reason):
                if not self.ended.done():
                    self.ended.set_result(f"closed {code:#x} {reason}")


async def _get(port, path, certificate, bend):
    configuration = QuicConfiguration(is_client=True, alpn_protocols=[ALPN])
    configuration.max_data = configuration.max_stream_data = 16 << 20
    configuration.load_verify_locations(str(certificate))
    configuration.verify_mode = ssl.CERT_REQUIRED
    configuration.server_name = "localhost"
    connecting = connect("127.0.0.1", port, configuration=configuration, create_protocol=Downloads)
    async with connecting as client:
        bend(client._quic)
        stream = client._quic.get_next_available_stream_id()
        client._quic.send_stream_data(stream, f"GET {path}\r\n".encode(), end_stream=True)
        client.transmit()
        return await client.ended, bytes(client.received)


def get(port, path, certificate, bend=lambda _: None):
    """Download a path. Return how the download ended, and the bytes.

    `bend` changes the connection after its handshake.
    """
    return asyncio.run(_get(port, path, certificate, bend))
