"""The classes of scenarios have the keys that the Rust crate declares."""

import dataclasses
import importlib.util
import json
import os
import pathlib

import numpy as np
import pandas as pd
import pytest

import onramp
from onramp import _onramp, _toml


@pytest.fixture
def generator():
    file = pathlib.Path(__file__).resolve().parent.parent / "tools" / "scenario_classes.py"
    spec = importlib.util.spec_from_file_location("scenario_classes", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_classes_are_up_to_date(generator):
    """`ONRAMP_UPDATE_DOCS=1` writes the classes instead."""
    wanted = generator.generated()
    if "ONRAMP_UPDATE_DOCS" in os.environ:
        generator.FILE.write_text(wanted, encoding="utf-8")
    assert generator.FILE.read_text(encoding="utf-8") == wanted, (
        "onramp/scenario.py differs from the keys: run ONRAMP_UPDATE_DOCS=1 make test-python"
    )


def test_every_key_exists_on_both_sides(generator):
    for table in json.loads(_onramp.scenario_keys()):
        cls = getattr(onramp, generator.class_name(table["path"]))
        fields = {field.name.rstrip("_") for field in dataclasses.fields(cls)}
        assert fields == {key["name"] for key in table["keys"]} | set(table["tables"])


def test_all_tables_of_a_network_can_be_built():
    scenario = onramp.Scenario(
        name="network",
        description='quotes " and \\ and \n stay',
        seed=7,
        run=onramp.Run(duration=60),
        node=[onramp.Node(name=name) for name in ("a", "b", "c")],
        link=[
            onramp.Link(
                from_="a",
                to="b",
                rate=10e6,
                delay=0.01,
                queue=100,
                discipline="red",
                red=onramp.Red(min="10 packets", max="50 packets"),
                reverse=onramp.LinkReverse(rate="1 Mbit/s", loss="1 %"),
                change=[onramp.LinkChange(at=1, loss="100 %"), onramp.LinkChange(at=2, loss="0 %")],
            ),
            onramp.Link(from_="b", to="c", rate="10 Mbit/s", delay="5 ms"),
        ],
        sender=onramp.Sender(nagle=False),
        transfer=[
            onramp.Transfer(
                from_="a",
                to="c",
                size=[10e3, "20 kB"],
                connections=[1, "adaptive"],
                initial_window=10,
            )
        ],
        traffic=[onramp.Traffic(kind="poisson", rate="1 Mbit/s", from_="a", to="c")],
    )
    assert onramp.check(scenario) == 4
    assert onramp.run(scenario)["finished"].all()


def test_numbers_have_their_units():
    path = onramp.Path(rate=1.5e6, rtt=[0.02, "40 ms"], queue="1 bdp", jitter=0.0001)
    assert path.to_dict() == {
        "rtt": ["20000000 ns", "40 ms"],
        "rate": "1500000 bit/s",
        "queue": "1 bdp",
        "jitter": "100000 ns",
    }


def test_arrays_of_numpy_and_pandas_are_lists():
    lists = onramp.Path(rate=[1e6, 2e6], rtt=[0.02], queue=10, loss=["0 %", "1 %"], mtu=[1500])
    arrays = onramp.Path(
        rate=np.array([1e6, 2e6], dtype=np.float32),
        rtt=pd.Series([0.02]),
        queue=np.int64(10),
        loss=np.array(["0 %", "1 %"]),
        mtu=[np.int16(1500)],
    )
    assert arrays.to_dict() == lists.to_dict()
    assert arrays.to_toml() == lists.to_toml()
    sender = onramp.Sender(nagle=np.bool_(False)).to_toml()
    assert sender == onramp.Sender(nagle=False).to_toml()
    mapping = {"rates": np.array(["1 Mbit/s"]), "tables": [{"number": np.int64(1)}]}
    assert _toml.dumps(mapping) == _toml.dumps({"rates": ["1 Mbit/s"], "tables": [{"number": 1}]})


def test_a_number_without_a_unit_is_refused_where_it_is_ambiguous():
    with pytest.raises(TypeError, match="`loss` is 0.1; give a text with a unit"):
        onramp.Path(rate=1e6, rtt=1, loss=0.1).to_toml()
    with pytest.raises(TypeError, match="`repeat` is 1.5; give a whole number"):
        onramp.Transfer(size=1, repeat=1.5).to_toml()
    with pytest.raises(TypeError, match="`rate` is a object"):
        onramp.Path(rate=object(), rtt=1).to_toml()
    with pytest.raises(TypeError):
        onramp.Transfer()
    with pytest.raises(TypeError):
        onramp.Transfer(size=1, start_up="none")


def test_a_number_that_is_none_is_refused_with_its_key():
    for value in (float("nan"), float("inf")):
        path = onramp.Path(rate=value, rtt="50 ms")
        with pytest.raises(ValueError, match=f"`rate` is {value}; give a finite number"):
            path.to_dict()


def test_written_toml_is_read_back_as_it_was():
    tomllib = pytest.importorskip("tomllib")
    document = {
        "name": 'a\x7f\t"ü"',
        "number": 1,
        "share": 0.5,
        "is": True,
        "list": ["a", "b"],
        "table": {"inner": {"key": "value"}, "rows": [{"a": 1}, {"a": 2, "deep": {"b": 3}}]},
    }
    assert tomllib.loads(_toml.dumps(document)) == document
    with pytest.raises(TypeError, match="`x.y` is a set"):
        _toml.dumps({"x": {"y": set()}})
