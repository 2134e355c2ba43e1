"""Downloads between aioquic and Onramp, whose content is compared byte by byte."""

import asyncio
import hashlib
import json
import subprocess

import pytest
from aioquic.asyncio import serve as serve_aioquic
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import StreamDataReceived
from client import ALPN, get
from conftest import ONRAMP
from proxy import LossyProxy


def sha256(data):
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    "options",
    [
        ["--startup", "onramp"],
        ["--startup", "suss"],
        ["--startup", "none"],
        ["--startup", "none", "--avoidance", "bbr"],
    ],
    ids=" ".join,
)
def test_aioquic_downloads_a_file(serve, content, options):
    server = serve(*options)
    ended, received = get(server.port, "/file", server.certificate)
    assert ended == "complete"
    assert sha256(received) == sha256(content)
    assert "/file" in server.end()


def test_aioquic_downloads_a_file_through_losses(serve, content):
    server = serve("--json")
    with LossyProxy(server.port, lose_every=50) as proxy:
        ended, received = get(proxy.port, "/file", server.certificate)
    assert ended == "complete"
    assert sha256(received) == sha256(content)
    assert proxy.lost > 20
    line = json.loads(server.end())
    assert line["lost_packets"] > 10
    assert line["exit"] is not None


def test_aioquic_is_told_why_a_request_is_refused(serve):
    server = serve()
    assert get(server.port, "/none", server.certificate) == ("reset 4", b"")


class Sender(QuicConnectionProtocol):
    """Answers each request with the content."""

    content = b""

    def quic_event_received(self, event):
        if isinstance(event, StreamDataReceived) and event.end_stream:
            assert event.data == b"GET /file\r\n"
            self._quic.send_stream_data(event.stream_id, self.content, end_stream=True)
            self.transmit()


async def download_from_aioquic(certificate, key, output):
    configuration = QuicConfiguration(is_client=False, alpn_protocols=[ALPN])
    configuration.load_cert_chain(certificate, key)
    server = await serve_aioquic(
        "127.0.0.1", 0, configuration=configuration, create_protocol=Sender
    )
    port = server._transport.get_extra_info("sockname")[1]
    url = f"https://localhost:{port}/file"
    process = await asyncio.create_subprocess_exec(
        ONRAMP, "quic", "get", url, "--ca", certificate, "--output", output
    )
    code = await process.wait()
    server.close()
    return code


def test_onramp_downloads_from_aioquic(tmp_path, content):
    Sender.content = content
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1"
    options = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    options += ["-addext", "basicConstraints=critical,CA:FALSE"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *options, *files], check=True, capture_output=True)
    output = tmp_path / "copy"
    assert asyncio.run(download_from_aioquic(certificate, key, output)) == 0
    assert sha256(output.read_bytes()) == sha256(content)
