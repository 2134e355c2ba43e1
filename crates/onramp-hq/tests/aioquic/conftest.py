"""`onramp quic serve` as a process, and what a test serves."""

import os
import pathlib
import re
import signal
import subprocess

import pytest

ONRAMP = os.environ.get("ONRAMP", "onramp")
SIZE_BYTES = 2_000_000


@pytest.fixture
def content():
    """Bytes in which no part repeats within a packet's size."""
    return b"".join(number.to_bytes(4, "big") for number in range(SIZE_BYTES // 4))


class Server:
    """A server on a port that the kernel has chosen."""

    def __init__(self, folder: pathlib.Path, *options: str):
        self.certificate = folder / "certificate.pem"
        command = [ONRAMP, "quic", "serve", "--listen", "127.0.0.1:0", "--folder", str(folder)]
        command += ["--write-certificate", str(self.certificate), *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        listening = self.process.stderr.readline().decode()
        self.port = int(re.search(r"listening on 127\.0\.0\.1:(\d+)", listening).group(1))

    def end(self) -> str:
        """End it with SIGTERM, which must do. Return what it printed."""
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate()
        assert self.process.returncode == 0
        return out.decode()


@pytest.fixture
def serve(tmp_path, content):
    """Start a server of one file, `/file`."""
    servers = []

    def start(*options):
        (tmp_path / "file").write_bytes(content)
        servers.append(Server(tmp_path, *options))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()
