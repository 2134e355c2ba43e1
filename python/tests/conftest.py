import pathlib

import matplotlib as mpl
import pytest

mpl.use("agg")

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def repository():
    return REPOSITORY


@pytest.fixture
def geo():
    """Two transfers of 100 kB over a long path."""
    return {
        "name": "geo",
        "path": {"rate": "50 Mbit/s", "rtt": "600 ms", "queue": "0.5 bdp", "loss": "0.1 %"},
        "receiver": {"buffer": "64 MiB"},
        "transfer": [{"size": "100 kB", "startup": ["none", "onramp"]}],
    }
