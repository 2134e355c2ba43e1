"""Scenarios, built in Python: a class for each table of a scenario file.

Generated from crates/onramp-scenario/src/keys and crates/onramp-scenario/src/channel. Do not edit:
`ONRAMP_UPDATE_DOCS=1 make test-python` writes this file.

A quantity is a text with its unit, such as ``"50 Mbit/s"``, or a number: a rate in bit/s, a time in
seconds, a size in bytes, a queue in packets, a window in segments. A share needs its unit, as in
``"0.5 %"``. Where a key takes a list, all lists of a scenario are multiplied. Arrays of numpy and
series of pandas are lists too.

Examples
--------
>>> import onramp
>>> scenario = onramp.Scenario(
...     name="geo",
...     path=onramp.Path(rate="50 Mbit/s", rtt=0.6),
...     transfer=[onramp.Transfer(size=["100 kB", "1 MB"], startup=["none", "onramp"])],
... )
>>> onramp.check(scenario)
4
>>> scenario.to_toml().splitlines()[2:5]
['[path]', 'rtt = "600000000 ns"', 'rate = "50 Mbit/s"']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import ClassVar, Literal

from onramp._plain import ArrayLike
from onramp._quantities import TableOfKeys

IpVersion = Literal[
    "v4",
    "v6",
]
Acks = Literal[
    "linux",
    "delayed",
    "bsd",
    "every",
    "every-4",
    "every-16",
]
Avoidance = Literal[
    "cubic",
    "bbr",
    "bbr3",
    "reno",
    "vegas",
    "westwood",
    "pipe",
    "dctcp",
    "prague",
]
CodePoint = Literal[
    "best-effort",
    "ef",
]
Discipline = Literal[
    "drop-tail",
    "red",
    "codel",
    "fq-codel",
    "dualpi2",
]
Distribution = Literal[
    "exponential",
    "fixed",
]
End = Literal[
    "receiver",
    "sender",
]
Form = Literal[
    "paper",
    "experiment",
]
Framing = Literal[
    "packets",
    "aal5",
    "aal5-snap",
]
Hosts = Literal[
    "exact",
    "noisy",
]
Idea = Literal[
    "nothing",
    "measuring",
    "clock",
    "probing",
    "line",
    "sharing",
    "spacing",
    "validating",
    "easing",
    "raising",
    "delay",
    "retreat",
]
KindOfTraffic = Literal[
    "transfer",
    "constant",
    "poisson",
    "on-off",
]
Lie = Literal[
    "none",
    "clock",
    "losses",
    "clock-and-losses",
    "early",
    "split",
    "duplicates",
]
Memory = Literal[
    "off",
    "careful",
    "at-once",
]
PacketPairs = Literal[
    "none",
    "answer",
    "answer-at-once",
    "probe",
]
Reading = Literal[
    "line",
    "ends",
    "closest",
    "round",
    "remaining",
    "new-ack",
    "until-full",
    "latest",
    "calm",
    "westwood",
]
Recovery = Literal[
    "tahoe",
    "reno",
    "careful-reno",
    "ns-reno",
    "newreno",
    "steady-newreno",
    "sack",
    "prr",
    "rack",
]
Service = Literal[
    "steady",
    "poisson",
]
Stack = Literal[
    "linux",
    "lite",
]
Timers = Literal[
    "rfc6298",
    "linux",
    "bsd",
    "brakmo",
    "brakmo-scaling",
    "decoupled",
    "ns",
]
Transport = Literal[
    "tcp",
    "quic",
]
Version = Literal[
    "draft",
    "linux",
    "freebsd",
]


@dataclass(kw_only=True)
class Bursts(TableOfKeys):
    """``[path.bursts]``: losses in bursts, instead of `loss`.

    Parameters
    ----------
    enter : str
        Probability, at each packet, that a good channel becomes bad. Range: 0 % to 100 %.
    leave : str
        Probability, at each packet, that a bad channel becomes good. Range: 0 % to 100 %.
    loss_good : str | None, optional
        Probability of a loss while the channel is good. Default: `0 %`. Range: 0 % to 100 %.
    loss_bad : str | None, optional
        Probability of a loss while the channel is bad. Default: `100 %`. Range: 0 % to 100 %.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "enter": "share",
        "leave": "share",
        "loss_good": "share",
        "loss_bad": "share",
    }

    enter: str
    leave: str
    loss_good: str | None = None
    loss_bad: str | None = None


@dataclass(kw_only=True)
class DualPi2(TableOfKeys):
    """``[path.dualpi2]``: delays of the queue discipline `dualpi2`.

    Parameters
    ----------
    target : str | float | None, optional
        Delay at which the queue of classic packets is held by drops, or by marks of ECT(0).
        Default: `15 ms`. Range: 1 us to 4 s.
    step : str | float | None, optional
        Delay above which every packet of the low-latency queue is marked. Default: `1 ms`. Range: 0
        s to 4 s.
    coupling : int | None, optional
        Coupling factor: a low-latency packet is marked with this factor times the square root of
        the probability with which a classic packet is dropped. Default: `2`. Range: 1 to 255.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "target": "time",
        "step": "time",
        "coupling": "integer",
    }

    target: str | float | None = None
    step: str | float | None = None
    coupling: int | None = None


@dataclass(kw_only=True)
class CoDel(TableOfKeys):
    """``[path.codel]``: delays of the queue disciplines `codel` and `fq-codel`.

    Parameters
    ----------
    target : str | float | None, optional
        Delay that a standing queue may have, for `codel` and `fq-codel`. Default: `5 ms`. Range: 1
        us to 4 s.
    interval : str | float | None, optional
        Time for which the delay of a queue may exceed `target`. Default: `100 ms`. Range: 1 us to 4
        s.
    quantum : str | float | None, optional
        Bytes that each flow may send in its turn, for `fq-codel`. Default: `1514 B`. Range: 1 B to
        1 GB.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "target": "time",
        "interval": "time",
        "quantum": "size",
    }

    target: str | float | None = None
    interval: str | float | None = None
    quantum: str | float | None = None


@dataclass(kw_only=True)
class Red(TableOfKeys):
    """``[path.red]``: thresholds of the queue discipline `red`.

    Parameters
    ----------
    min : str | float | None, optional
        Average queue below which nothing is dropped early, in the unit of `queue`. Default:
        `red.max / 3`. Range: 1 packet to 1000000000 packets; 1 B to 1000 GB; 0.000001 bdp to 1000
        bdp.
    max : str | float | None, optional
        Average queue at which packets are dropped with `probability`, in the unit of `queue`. If
        `min` is the same, all packets above are dropped, or marked with `ecn`: the step of DCTCP,
        with a `weight` of 100 %. Default: `queue / 4`. Range: 1 packet to 1000000000 packets; 1 B
        to 1000 GB; 0.000001 bdp to 1000 bdp.
    probability : str | None, optional
        Probability of a drop where the average queue is `max`. Default: `10 %`. Range: 0 % to 100
        %.
    weight : str | None, optional
        Weight of a new sample in the average, rounded to the nearest power of two. Default: `0.2
        %`. Range: 0.0001 % to 100 %.
    gentle : bool | None, optional
        Between `max` and twice `max` the probability rises to one. Otherwise it jumps to one at
        `max`. Default: `true`.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "min": "queue",
        "max": "queue",
        "probability": "share",
        "weight": "share",
        "gentle": "true or false",
    }

    min: str | float | None = None
    max: str | float | None = None
    probability: str | None = None
    weight: str | None = None
    gentle: bool | None = None


@dataclass(kw_only=True)
class Steps(TableOfKeys):
    """``[path.steps]``: a rate that changes at random, up to `rate`.

    Parameters
    ----------
    every : str | float
        Time from one value of the rate to the next. Range: 1 us to 3600 s.
    min : str | float
        Minimum of the values. The maximum is the `rate` of this direction. Range: 1 kbit/s to 1000
        Gbit/s.
    move : str | None, optional
        Maximum distance of a value from the one before, as a share of the range. `100 %` draws each
        value independently. Default: `100 %`. Range: 0 % to 100 %.
    outage : str | float | None, optional
        Length of an outage: nothing leaves the link, and packets wait. Default: none. Range: 1 us
        to 3600 s.
    outage_every : str | float | None, optional
        Mean time from one outage to the next, at least `every`. An outage begins at a step.
        Default: none. Range: 1 us to 3600 s.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "every": "time",
        "min": "rate",
        "move": "share",
        "outage": "time",
        "outage_every": "time",
    }

    every: str | float
    min: str | float
    move: str | None = None
    outage: str | float | None = None
    outage_every: str | float | None = None


@dataclass(kw_only=True)
class TransferParameters(TableOfKeys):
    """``[transfer.parameters]``.

    Constants of its start-up, instead of those in the header of the algorithm.

    Parameters
    ----------
    min_rtt_thresh : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `hystart`: MIN_RTT_THRESH: a rise of the RTT of less is noise. Default: `4 ms`.
        Range: 0 ns to 1 s.
    max_rtt_thresh : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `hystart`: MAX_RTT_THRESH: a rise of the RTT of more is a queue. Default: `16
        ms`. Range: 0 ns to 1 s.
    min_rtt_divisor : int | Sequence[int] | ArrayLike | None, optional
        For start-up `hystart`: MIN_RTT_DIVISOR: between them, a rise by this part of the RTT is a
        queue. Default: `8`. Range: 1 to 64.
    n_rtt_sample : int | Sequence[int] | ArrayLike | None, optional
        For start-up `hystart`: N_RTT_SAMPLE: the number of RTT samples in a round that decide.
        Default: `8`. Range: 1 to 64.
    css_growth_divisor : int | Sequence[int] | ArrayLike | None, optional
        For start-up `hystart`: CSS_GROWTH_DIVISOR: conservative slow start grows by this part of
        slow start's growth. Default: `4`. Range: 1 to 64.
    css_rounds : int | Sequence[int] | ArrayLike | None, optional
        For start-up `hystart`: CSS_ROUNDS: rounds of conservative slow start before the exit.
        Default: `5`. Range: 1 to 100.
    limit_segments : int | Sequence[int] | ArrayLike | None, optional
        For start-up `hystart`: L: the segments of an ACK that count for growth. Default: `8`.
        Range: 1 to 1000000.
    thresh : str | Sequence[str] | ArrayLike | None, optional
        For start-up `search`: THRESH of the draft: the share of what was sent that is missing at
        the exit. Default: `26 %`. Range: 1 % to 99 %.
    old_thresh : str | Sequence[str] | ArrayLike | None, optional
        For start-up `search`: The same share of the versions `linux` and `freebsd`. Default: `35
        %`. Range: 1 % to 99 %.
    window : str | Sequence[str] | ArrayLike | None, optional
        For start-up `search`: WINDOW_SIZE_FACTOR: the window, in shares of the initial RTT.
        Default: `350 %`. Range: 200 % to 1000 %.
    rtt_divisor : int | Sequence[int] | ArrayLike | None, optional
        For start-up `suss`: HyStart: the RTT may rise by this part of minRTT. Default: `8`. Range:
        1 to 64.
    min_rise : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `suss`: HyStart: by at least this. Default: `4 ms`. Range: 0 ns to 1 s.
    max_rise : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `suss`: HyStart: by at most this. Default: `16 ms`. Range: 0 ns to 1 s.
    samples : int | Sequence[int] | ArrayLike | None, optional
        For start-up `suss`: HyStart: the RTT samples of a round that decide. Default: `8`. Range: 1
        to 64.
    max_jumps : int | Sequence[int] | ArrayLike | None, optional
        For start-up `suss`: Rounds with red data, at most. Default: `3`. Range: 0 to 10.
    min_rtt : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `suss`: Red data is sent only where minRTT is longer. Default: `10 ms`. Range:
        0 ns to 10 s.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "min_rtt_thresh": "time",
        "max_rtt_thresh": "time",
        "min_rtt_divisor": "integer",
        "n_rtt_sample": "integer",
        "css_growth_divisor": "integer",
        "css_rounds": "integer",
        "limit_segments": "integer",
        "thresh": "share",
        "old_thresh": "share",
        "window": "share",
        "rtt_divisor": "integer",
        "min_rise": "time",
        "max_rise": "time",
        "samples": "integer",
        "max_jumps": "integer",
        "min_rtt": "time",
    }

    min_rtt_thresh: str | float | Sequence[str | float] | ArrayLike | None = None
    max_rtt_thresh: str | float | Sequence[str | float] | ArrayLike | None = None
    min_rtt_divisor: int | Sequence[int] | ArrayLike | None = None
    n_rtt_sample: int | Sequence[int] | ArrayLike | None = None
    css_growth_divisor: int | Sequence[int] | ArrayLike | None = None
    css_rounds: int | Sequence[int] | ArrayLike | None = None
    limit_segments: int | Sequence[int] | ArrayLike | None = None
    thresh: str | Sequence[str] | ArrayLike | None = None
    old_thresh: str | Sequence[str] | ArrayLike | None = None
    window: str | Sequence[str] | ArrayLike | None = None
    rtt_divisor: int | Sequence[int] | ArrayLike | None = None
    min_rise: str | float | Sequence[str | float] | ArrayLike | None = None
    max_rise: str | float | Sequence[str | float] | ArrayLike | None = None
    samples: int | Sequence[int] | ArrayLike | None = None
    max_jumps: int | Sequence[int] | ArrayLike | None = None
    min_rtt: str | float | Sequence[str | float] | ArrayLike | None = None


@dataclass(kw_only=True)
class LinkChange(TableOfKeys):
    """``[[link.change]]``: other rates, delays and losses from some time on.

    Parameters
    ----------
    at : str | float
        Time of the change, since the beginning of the run. Range: 0 s to 1000000 s.
    rate : str | float | None, optional
        The new rate. It is also the rate of the reverse direction unless that has its own. Default:
        unchanged. Range: 1 kbit/s to 1000 Gbit/s.
    delay : str | float | None, optional
        The new delay. It is also the delay of the reverse direction unless that has its own.
        Default: unchanged. Range: 0 s to 3600 s.
    loss : str | None, optional
        The new random loss of both directions. `100 %` is an outage. Default: unchanged. Range: 0 %
        to 100 %.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "at": "time",
        "rate": "rate",
        "delay": "time",
        "loss": "share",
    }

    at: str | float
    rate: str | float | None = None
    delay: str | float | None = None
    loss: str | None = None


@dataclass(kw_only=True)
class LinkReverse(TableOfKeys):
    """``[link.reverse]``: the direction from `to` to `from`, where it differs.

    Parameters
    ----------
    delay : str | float | None, optional
        One-way delay of the reverse direction. Default: `link.delay`. Range: 0 s to 3600 s.
    rate : str | float | None, optional
        Rate of the serialiser, counted in IP packets, or in what `framing` says. The reverse
        direction has the forward rate unless it has its own. Range: 1 kbit/s to 1000 Gbit/s.
    trace : str | PathLike[str] | None, optional
        Instead of `rate`: a file with a recorded link, relative to the scenario file. In mahimahi's
        format each line is a millisecond at which the link carries 1500 bytes. A file `*.csv` has
        columns with a time and the rate, the one-way delay or the loss from then on, such as
        `time_s`, `rate_mbits_per_s`, `delay_ms` and `loss_percent`. The file repeats. Its mean rate
        stands for `rate` elsewhere; a file without rates needs `rate`. Default: none.
    delay_trace : str | PathLike[str] | None, optional
        A file with the recorded delay, or loss, where the file of `trace` has none: a file `*.csv`
        with columns such as `time_s`, `delay_ms` and `loss_percent`; or a list of one-way delays in
        milliseconds, a line for each 10 ms. The file repeats. Default: none.
    trace_offset : str | float | None, optional
        With `trace` or `delay_trace`: the time of the recording at which a run begins, or `random`:
        each repeat begins at another time. The return path has that of the forward path unless it
        has its own. Default: `0 s`. Range: 0 s to 1000000 s.
    service : Service | None, optional
        When the link carries bytes: `steady` or `poisson`. `poisson` carries 1500 bytes at random
        moments, whose mean rate is `rate`; a moment at which nothing waits is lost. Default:
        `steady`.
    framing : Framing | None, optional
        What the rate counts: `packets`, `aal5` or `aal5-snap`. `aal5` is ATM: each packet with a
        trailer of 8 bytes fills cells of 53 bytes that carry 48; `aal5-snap` has 8 bytes of header
        too. Both are for links of a steady rate. The reverse direction has the framing of the rate
        that it takes. Default: `packets`.
    queue : str | float | None, optional
        Room of the queue before the serialiser. The reverse direction has the forward queue unless
        it has its own, or `fq-codel`. Default: `1 bdp`; `10240 packets` with `fq-codel`. Range: 1
        packet to 1000000000 packets; 1 B to 1000 GB; 0.000001 bdp to 1000 bdp.
    discipline : Discipline | None, optional
        How the queue is kept: `drop-tail`, `red`, `codel`, `fq-codel` or `dualpi2`. Default:
        `drop-tail`.
    ecn : bool | None, optional
        For `red`, `codel` and `fq-codel`: packets of connections with `ecn` are marked where others
        are dropped early (RFC 3168). `dualpi2` always marks. Default: `false`.
    ack_filter : bool | None, optional
        With `drop-tail`: removes an acknowledgement that waits in the queue when a later one of its
        connection acknowledges at least as much. Default: `false`.
    loss : str | None, optional
        Probability with which each packet is lost, independently of the others. Default: `0 %`.
        Range: 0 % to 50 %.
    loss_every : str | int | None, optional
        Instead of `loss`: the last of each this many packets that carry data is lost. Default:
        none. Range: 1 packet to 1000000000 packets.
    duplicate : str | None, optional
        Probability with which each packet arrives twice. Default: `0 %`. Range: 0 % to 50 %.
    jitter : str | float | None, optional
        Maximum extra delay of a packet. The extra delay of each packet is drawn evenly from zero to
        this. Default: none. Range: 1 ns to 60 s.
    reorder : bool | None, optional
        With `jitter` or a recorded delay: packets may overtake each other. Otherwise each packet
        waits for those before it. Default: `false`.
    aggregate : str | float | None, optional
        At the end of the channel packets are held for this time after the first of them, then
        arrive together. Default: none. Range: 1 ns to 60 s.
    aggregate_slots : bool | None, optional
        With `aggregate`: packets arrive at multiples of that time instead, as with interrupts and
        with grants of a medium. The first one is at a random time of each run. Default: `false`.
    aggregate_gap : str | float | None, optional
        With `aggregate`: time from one packet of an aggregate to the next as they arrive. A kernel
        takes some microseconds for each. Default: `0 s`. Range: 0 s to 1 s.
    aggregate_most : int | None, optional
        With `aggregate`: the packets arrive as soon as this many are held. Default: `64`. Range: 1
        to 1000000.
    late : str | float | None, optional
        Maximum lateness of the timer at the end of the channel after an idle time, as that of a
        host that sleeps. Packets that are due in the meantime arrive with the first one. Default:
        none. Range: 1 ns to 60 s.
    late_after : str | float | None, optional
        With `late`: the timer is late where no packet has arrived for longer than this. Default: `1
        ms`. Range: 0 s to 60 s.
    shaper_rate : str | float | None, optional
        A token bucket of this rate holds packets back in the queue. Default: none. Range: 1 kbit/s
        to 1000 Gbit/s.
    shaper_burst : str | float | None, optional
        Size of the shaper's bucket, which is full at the start. Default: none. Range: 1 B to 1 GB.
    policer_rate : str | float | None, optional
        A token bucket of this rate drops packets that arrive in excess of it. Default: none. Range:
        1 kbit/s to 1000 Gbit/s.
    policer_burst : str | float | None, optional
        Size of the policer's bucket, which is full at the start. Default: none. Range: 1 B to 1 GB.
    ef_rate : str | float | None, optional
        Expedited forwarding (RFC 3246): the rate guaranteed to each flow with `dscp = "ef"`, at
        most `rate`. Packets of the flow in excess of it are dropped. Default: none. Range: 1 kbit/s
        to 1000 Gbit/s.
    ef_burst : str | float | None, optional
        Size of the token bucket of each such flow, which is full at the start. Default: none.
        Range: 1 B to 1 GB.
    steps : Steps | None, optional
        A rate that changes at random, up to `rate`.
    red : Red | None, optional
        Thresholds of the queue discipline `red`.
    codel : CoDel | None, optional
        Delays of the queue disciplines `codel` and `fq-codel`.
    dualpi2 : DualPi2 | None, optional
        Delays of the queue discipline `dualpi2`.
    bursts : Bursts | None, optional
        Losses in bursts, instead of `loss`.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "delay": "time",
        "rate": "rate",
        "trace": "file",
        "delay_trace": "file",
        "trace_offset": "time, or `random`",
        "service": "service",
        "framing": "framing",
        "queue": "queue",
        "discipline": "discipline",
        "ecn": "true or false",
        "ack_filter": "true or false",
        "loss": "share",
        "loss_every": "packets",
        "duplicate": "share",
        "jitter": "time",
        "reorder": "true or false",
        "aggregate": "time",
        "aggregate_slots": "true or false",
        "aggregate_gap": "time",
        "aggregate_most": "integer",
        "late": "time",
        "late_after": "time",
        "shaper_rate": "rate",
        "shaper_burst": "size",
        "policer_rate": "rate",
        "policer_burst": "size",
        "ef_rate": "rate",
        "ef_burst": "size",
    }

    delay: str | float | None = None
    rate: str | float | None = None
    trace: str | PathLike[str] | None = None
    delay_trace: str | PathLike[str] | None = None
    trace_offset: str | float | None = None
    service: Service | None = None
    framing: Framing | None = None
    queue: str | float | None = None
    discipline: Discipline | None = None
    ecn: bool | None = None
    ack_filter: bool | None = None
    loss: str | None = None
    loss_every: str | int | None = None
    duplicate: str | None = None
    jitter: str | float | None = None
    reorder: bool | None = None
    aggregate: str | float | None = None
    aggregate_slots: bool | None = None
    aggregate_gap: str | float | None = None
    aggregate_most: int | None = None
    late: str | float | None = None
    late_after: str | float | None = None
    shaper_rate: str | float | None = None
    shaper_burst: str | float | None = None
    policer_rate: str | float | None = None
    policer_burst: str | float | None = None
    ef_rate: str | float | None = None
    ef_burst: str | float | None = None
    steps: Steps | None = None
    red: Red | None = None
    codel: CoDel | None = None
    dualpi2: DualPi2 | None = None
    bursts: Bursts | None = None


@dataclass(kw_only=True)
class PathChange(TableOfKeys):
    """``[[path.change]]``: other rates, round-trip times and losses from some time on.

    Parameters
    ----------
    at : str | float
        Time of the change, since the beginning of the run. Range: 0 s to 1000000 s.
    rate : str | float | None, optional
        The new rate. It is also the rate of the return path unless that has its own. Default:
        unchanged. Range: 1 kbit/s to 1000 Gbit/s.
    rtt : str | float | None, optional
        The new round-trip propagation time. Default: unchanged. Range: 1 us to 3600 s.
    loss : str | None, optional
        The new random loss of both directions. `100 %` is an outage. Default: unchanged. Range: 0 %
        to 100 %.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "at": "time",
        "rate": "rate",
        "rtt": "time",
        "loss": "share",
    }

    at: str | float
    rate: str | float | None = None
    rtt: str | float | None = None
    loss: str | None = None


@dataclass(kw_only=True)
class PathReverse(TableOfKeys):
    """``[path.reverse]``: the return path, where it differs.

    Parameters
    ----------
    delay : str | float | None, optional
        One-way delay of the return path, at most `path.rtt`. The forward path has the rest of the
        round-trip time. Default: `path.rtt / 2`. Range: 0 s to 3600 s.
    rate : str | float | None, optional
        Rate of the serialiser, counted in IP packets, or in what `framing` says. The reverse
        direction has the forward rate unless it has its own. Range: 1 kbit/s to 1000 Gbit/s.
    trace : str | PathLike[str] | None, optional
        Instead of `rate`: a file with a recorded link, relative to the scenario file. In mahimahi's
        format each line is a millisecond at which the link carries 1500 bytes. A file `*.csv` has
        columns with a time and the rate, the one-way delay or the loss from then on, such as
        `time_s`, `rate_mbits_per_s`, `delay_ms` and `loss_percent`. The file repeats. Its mean rate
        stands for `rate` elsewhere; a file without rates needs `rate`. Default: none.
    delay_trace : str | PathLike[str] | None, optional
        A file with the recorded delay, or loss, where the file of `trace` has none: a file `*.csv`
        with columns such as `time_s`, `delay_ms` and `loss_percent`; or a list of one-way delays in
        milliseconds, a line for each 10 ms. The file repeats. Default: none.
    trace_offset : str | float | Sequence[str | float] | ArrayLike | None, optional
        With `trace` or `delay_trace`: the time of the recording at which a run begins, or `random`:
        each repeat begins at another time. The return path has that of the forward path unless it
        has its own. Default: `0 s`. Range: 0 s to 1000000 s.
    service : Service | None, optional
        When the link carries bytes: `steady` or `poisson`. `poisson` carries 1500 bytes at random
        moments, whose mean rate is `rate`; a moment at which nothing waits is lost. Default:
        `steady`.
    framing : Framing | None, optional
        What the rate counts: `packets`, `aal5` or `aal5-snap`. `aal5` is ATM: each packet with a
        trailer of 8 bytes fills cells of 53 bytes that carry 48; `aal5-snap` has 8 bytes of header
        too. Both are for links of a steady rate. The reverse direction has the framing of the rate
        that it takes. Default: `packets`.
    queue : str | float | None, optional
        Room of the queue before the serialiser. The reverse direction has the forward queue unless
        it has its own, or `fq-codel`. Default: `1 bdp`; `10240 packets` with `fq-codel`. Range: 1
        packet to 1000000000 packets; 1 B to 1000 GB; 0.000001 bdp to 1000 bdp.
    discipline : Discipline | None, optional
        How the queue is kept: `drop-tail`, `red`, `codel`, `fq-codel` or `dualpi2`. Default:
        `drop-tail`.
    ecn : bool | None, optional
        For `red`, `codel` and `fq-codel`: packets of connections with `ecn` are marked where others
        are dropped early (RFC 3168). `dualpi2` always marks. Default: `false`.
    ack_filter : bool | None, optional
        With `drop-tail`: removes an acknowledgement that waits in the queue when a later one of its
        connection acknowledges at least as much. Default: `false`.
    loss : str | None, optional
        Probability with which each packet is lost, independently of the others. Default: `0 %`.
        Range: 0 % to 50 %.
    loss_every : str | int | None, optional
        Instead of `loss`: the last of each this many packets that carry data is lost. Default:
        none. Range: 1 packet to 1000000000 packets.
    duplicate : str | None, optional
        Probability with which each packet arrives twice. Default: `0 %`. Range: 0 % to 50 %.
    jitter : str | float | Sequence[str | float] | ArrayLike | None, optional
        Maximum extra delay of a packet. The extra delay of each packet is drawn evenly from zero to
        this. Default: none. Range: 1 ns to 60 s.
    reorder : bool | None, optional
        With `jitter` or a recorded delay: packets may overtake each other. Otherwise each packet
        waits for those before it. Default: `false`.
    aggregate : str | float | Sequence[str | float] | ArrayLike | None, optional
        At the end of the channel packets are held for this time after the first of them, then
        arrive together. Default: none. Range: 1 ns to 60 s.
    aggregate_slots : bool | None, optional
        With `aggregate`: packets arrive at multiples of that time instead, as with interrupts and
        with grants of a medium. The first one is at a random time of each run. Default: `false`.
    aggregate_gap : str | float | None, optional
        With `aggregate`: time from one packet of an aggregate to the next as they arrive. A kernel
        takes some microseconds for each. Default: `0 s`. Range: 0 s to 1 s.
    aggregate_most : int | None, optional
        With `aggregate`: the packets arrive as soon as this many are held. Default: `64`. Range: 1
        to 1000000.
    late : str | float | Sequence[str | float] | ArrayLike | None, optional
        Maximum lateness of the timer at the end of the channel after an idle time, as that of a
        host that sleeps. Packets that are due in the meantime arrive with the first one. Default:
        none. Range: 1 ns to 60 s.
    late_after : str | float | Sequence[str | float] | ArrayLike | None, optional
        With `late`: the timer is late where no packet has arrived for longer than this. Default: `1
        ms`. Range: 0 s to 60 s.
    shaper_rate : str | float | Sequence[str | float] | ArrayLike | None, optional
        A token bucket of this rate holds packets back in the queue. Default: none. Range: 1 kbit/s
        to 1000 Gbit/s.
    shaper_burst : str | float | Sequence[str | float] | ArrayLike | None, optional
        Size of the shaper's bucket, which is full at the start. Default: none. Range: 1 B to 1 GB.
    policer_rate : str | float | Sequence[str | float] | ArrayLike | None, optional
        A token bucket of this rate drops packets that arrive in excess of it. Default: none. Range:
        1 kbit/s to 1000 Gbit/s.
    policer_burst : str | float | Sequence[str | float] | ArrayLike | None, optional
        Size of the policer's bucket, which is full at the start. Default: none. Range: 1 B to 1 GB.
    ef_rate : str | float | None, optional
        Expedited forwarding (RFC 3246): the rate guaranteed to each flow with `dscp = "ef"`, at
        most `rate`. Packets of the flow in excess of it are dropped. Default: none. Range: 1 kbit/s
        to 1000 Gbit/s.
    ef_burst : str | float | None, optional
        Size of the token bucket of each such flow, which is full at the start. Default: none.
        Range: 1 B to 1 GB.
    steps : Steps | None, optional
        A rate that changes at random, up to `rate`.
    red : Red | None, optional
        Thresholds of the queue discipline `red`.
    codel : CoDel | None, optional
        Delays of the queue disciplines `codel` and `fq-codel`.
    dualpi2 : DualPi2 | None, optional
        Delays of the queue discipline `dualpi2`.
    bursts : Bursts | None, optional
        Losses in bursts, instead of `loss`.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "delay": "time",
        "rate": "rate",
        "trace": "file",
        "delay_trace": "file",
        "trace_offset": "time, or `random`",
        "service": "service",
        "framing": "framing",
        "queue": "queue",
        "discipline": "discipline",
        "ecn": "true or false",
        "ack_filter": "true or false",
        "loss": "share",
        "loss_every": "packets",
        "duplicate": "share",
        "jitter": "time",
        "reorder": "true or false",
        "aggregate": "time",
        "aggregate_slots": "true or false",
        "aggregate_gap": "time",
        "aggregate_most": "integer",
        "late": "time",
        "late_after": "time",
        "shaper_rate": "rate",
        "shaper_burst": "size",
        "policer_rate": "rate",
        "policer_burst": "size",
        "ef_rate": "rate",
        "ef_burst": "size",
    }

    delay: str | float | None = None
    rate: str | float | None = None
    trace: str | PathLike[str] | None = None
    delay_trace: str | PathLike[str] | None = None
    trace_offset: str | float | Sequence[str | float] | ArrayLike | None = None
    service: Service | None = None
    framing: Framing | None = None
    queue: str | float | None = None
    discipline: Discipline | None = None
    ecn: bool | None = None
    ack_filter: bool | None = None
    loss: str | None = None
    loss_every: str | int | None = None
    duplicate: str | None = None
    jitter: str | float | Sequence[str | float] | ArrayLike | None = None
    reorder: bool | None = None
    aggregate: str | float | Sequence[str | float] | ArrayLike | None = None
    aggregate_slots: bool | None = None
    aggregate_gap: str | float | None = None
    aggregate_most: int | None = None
    late: str | float | Sequence[str | float] | ArrayLike | None = None
    late_after: str | float | Sequence[str | float] | ArrayLike | None = None
    shaper_rate: str | float | Sequence[str | float] | ArrayLike | None = None
    shaper_burst: str | float | Sequence[str | float] | ArrayLike | None = None
    policer_rate: str | float | Sequence[str | float] | ArrayLike | None = None
    policer_burst: str | float | Sequence[str | float] | ArrayLike | None = None
    ef_rate: str | float | None = None
    ef_burst: str | float | None = None
    steps: Steps | None = None
    red: Red | None = None
    codel: CoDel | None = None
    dualpi2: DualPi2 | None = None
    bursts: Bursts | None = None


@dataclass(kw_only=True)
class Traffic(TableOfKeys):
    """``[[traffic]]``: other traffic on the network.

    Parameters
    ----------
    kind : KindOfTraffic | None, optional
        What the traffic consists of: `transfer`, `constant`, `poisson` or `on-off`. Default:
        `transfer`.
    ip : IpVersion | None, optional
        For transfers: the IP version of their packets, as `transfer.ip`. Default: `v4`.
    stack : Stack | None, optional
        For transfers: the TCP of both hosts. Default: `linux`.
    ecn : bool | None, optional
        For transfers: both ends of each use explicit congestion notification (RFC 3168). Default:
        `false`.
    recovery : Recovery | None, optional
        For transfers: the sender's loss recovery. Default: of the stack.
    timers : Timers | None, optional
        For transfers: the sender's retransmission timer. Default: of the stack.
    clock : str | float | None, optional
        For transfers: granularity with which the sender's host measures time. Default: of the
        stack: `500 ms` with `lite`, else `1 ns`. Range: 1 ns to 10 s.
    tick : str | float | None, optional
        For transfers: granularity with which the sender's host schedules events. Default: of the
        stack: `500 ms` with `lite`, else `1 ns`. Range: 1 ns to 10 s.
    startup : str | None, optional
        For transfers: the start-up algorithm of each. Default: `none`.
    qos_rate : str | float | None, optional
        For transfers with start-up `qos`: the rate that the network guarantees to each, as
        `transfer.qos_rate`. Default: required by start-up `qos`. Range: 1 kbit/s to 1000 Gbit/s.
    qos_burst : str | float | None, optional
        For transfers with start-up `qos`: the payload of each that may leave at once. Default: the
        payload of a millisecond, 2 to 10 segments. Range: 1 B to 4 GB.
    avoidance : Avoidance | None, optional
        For transfers: the congestion avoidance of each. Default: `cubic`; `reno` with stack `lite`.
    connect : End | None, optional
        For transfers: the end that connects, as `transfer.connect`. Default: `receiver`.
    initial_ssthresh : str | float | None, optional
        For transfers: the initial ssthresh of each. Default: none. Range: 1 B to 1000 GB.
    size : str | float | Sequence[str | float] | ArrayLike | None, optional
        For transfers: the payload of each, or several sizes, of which each transfer draws one. Or a
        measured distribution, as in `transfer.size`. Default: without end. Range: 1 B to 1000 GB.
    count : int | None, optional
        For transfers: how many there are. Default: 1; with `arrivals` as many as arrive. Range: 1
        to 100000.
    arrivals : str | None, optional
        For transfers: the mean number that start per second, as a Poisson process. Default: all at
        once. Range: 0.000001 /s to 1000000 /s.
    measured : bool | None, optional
        For transfers: each has a result too. Default: `false`.
    rate : str | float | None, optional
        For `constant`, `poisson` and `on-off`: the rate of IP packets while the traffic sends. For
        `poisson` it is the mean rate. Default: required. Range: 1 kbit/s to 1000 Gbit/s.
    packet : str | float | None, optional
        For `constant`, `poisson` and `on-off`: size of each IP packet. Default: `1500 B`, or the
        `mtu` of the route if that is less. Range: 28 B to 9000 B.
    on : str | float | None, optional
        For `on-off`: mean time of sending. Default: required. Range: 1 us to 3600 s.
    off : str | float | None, optional
        For `on-off`: mean time of silence. Default: required. Range: 1 us to 3600 s.
    distribution : Distribution | None, optional
        For `on-off`: the distribution of both times, `exponential` or `fixed`. Default:
        `exponential`.
    dscp : CodePoint | None, optional
        How the sender marks its IP packets: `best-effort` or `ef`. Default: `best-effort`.
    from_ : str | None, optional
        The node that sends the data. Default: `sender` of a `[path]`.
    to : str | None, optional
        The node that receives the data. Default: `receiver` of a `[path]`.
    lead : str | float | None, optional
        How long before the transfer the traffic starts. Default: 5 s, without `start`. Range: 0 s
        to 3600 s.
    start : str | float | None, optional
        When the traffic starts, since the beginning of the run. Default: by `lead`. Range: 0 s to
        1000000 s.
    stop : str | float | None, optional
        When the traffic stops, since the beginning of the run. Default: the end of the run. Range:
        0 s to 1000000 s.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "kind": "kind of traffic",
        "ip": "IP version",
        "stack": "stack",
        "ecn": "true or false",
        "recovery": "recovery",
        "timers": "timers",
        "clock": "time",
        "tick": "time",
        "startup": "start-up",
        "qos_rate": "rate",
        "qos_burst": "size",
        "avoidance": "avoidance",
        "connect": "end",
        "initial_ssthresh": "size",
        "size": "size, or distribution",
        "count": "integer",
        "arrivals": "frequency",
        "measured": "true or false",
        "rate": "rate",
        "packet": "size",
        "on": "time",
        "off": "time",
        "distribution": "distribution",
        "dscp": "code point",
        "from": "node",
        "to": "node",
        "lead": "time",
        "start": "time",
        "stop": "time",
    }

    kind: KindOfTraffic | None = None
    ip: IpVersion | None = None
    stack: Stack | None = None
    ecn: bool | None = None
    recovery: Recovery | None = None
    timers: Timers | None = None
    clock: str | float | None = None
    tick: str | float | None = None
    startup: str | None = None
    qos_rate: str | float | None = None
    qos_burst: str | float | None = None
    avoidance: Avoidance | None = None
    connect: End | None = None
    initial_ssthresh: str | float | None = None
    size: str | float | Sequence[str | float] | ArrayLike | None = None
    count: int | None = None
    arrivals: str | None = None
    measured: bool | None = None
    rate: str | float | None = None
    packet: str | float | None = None
    on: str | float | None = None
    off: str | float | None = None
    distribution: Distribution | None = None
    dscp: CodePoint | None = None
    from_: str | None = None
    to: str | None = None
    lead: str | float | None = None
    start: str | float | None = None
    stop: str | float | None = None


@dataclass(kw_only=True)
class Transfer(TableOfKeys):
    """``[[transfer]]``: transfers to measure.

    Parameters
    ----------
    size : str | float | Sequence[str | float] | ArrayLike
        Payload to transfer. `web-search` and `data-mining` are measured distributions of flow
        sizes, of which each copy draws one. Range: 1 B to 1000 GB.
    label : str | None, optional
        Name of the transfer in tables and figures, instead of its choices: 1 to 40 characters. The
        table may have one choice of each kind only. Default: empty.
    ip : IpVersion | Sequence[IpVersion] | ArrayLike | None, optional
        The IP version of its packets: `v4` or `v6`. A header of IPv6 has 40 bytes, one of IPv4 has
        20, so the MSS of an MTU of 1500 bytes is 1440 or 1460. `v6` needs an `mtu` of 1280 bytes or
        more. Default: `v4`.
    segment : str | float | Sequence[str | float] | ArrayLike | None, optional
        Size of the largest IP packet that it is sent in, at most the `mtu` of the route. Default:
        the `mtu` of the route. Range: 296 B to 9000 B.
    transport : Transport | Sequence[Transport] | ArrayLike | None, optional
        The transport protocol: `tcp` or `quic`. The sender of `quic` is noq with the start-ups of
        onramp-quic ([what it supports](../scenarios-transfers.md#quic)). Default: `tcp`.
    stack : Stack | Sequence[Stack] | ArrayLike | None, optional
        The TCP of both hosts: `linux` or `lite`. Default: `linux`.
    window_scaling : bool | Sequence[bool] | ArrayLike | None, optional
        The sender offers window scaling (RFC 7323). The connection has it if the receiver offers it
        too. Default: of the stack.
    ecn : bool | Sequence[bool] | ArrayLike | None, optional
        Both ends use explicit congestion notification (RFC 3168). Queues with `ecn` mark their
        packets. Default: `false`.
    recovery : Recovery | Sequence[Recovery] | ArrayLike | None, optional
        The sender's loss recovery: `tahoe`, `reno`, `careful-reno`, `ns-reno`, `newreno`,
        `steady-newreno`, `sack`, `prr` or `rack`. Default: of the stack.
    timers : Timers | Sequence[Timers] | ArrayLike | None, optional
        The sender's retransmission timer: `rfc6298`, `linux`, `bsd`, `brakmo`, `brakmo-scaling`,
        `decoupled` or `ns`. Default: of the stack.
    clock : str | float | Sequence[str | float] | ArrayLike | None, optional
        Granularity with which the sender's host measures time, for timers `rfc6298`, `decoupled`
        and `ns`, and for start-ups. Default: of the stack: `500 ms` with `lite`, else `1 ns`.
        Range: 1 ns to 10 s.
    tick : str | float | Sequence[str | float] | ArrayLike | None, optional
        Granularity with which the sender's host schedules paced segments, and timers `rfc6298` and
        `decoupled`. Default: of the stack: `500 ms` with `lite`, else `1 ns`. Range: 1 ns to 10 s.
    startup : str | Sequence[str] | ArrayLike | None, optional
        Start-up algorithm. `none` runs the avoidance as the host ships it. Default: `standard`;
        `none` with stack `lite`.
    gamma : str | Sequence[str] | ArrayLike | None, optional
        For start-up `gamma`: ssthresh after a loss, as a share of the window. Default: measured by
        the start-up. Range: 1 % to 50 %.
    pace : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `spaced`: the rate of slow start's segments, counted in IP packets. Default:
        measured by the start-up. Range: 1 kbit/s to 1000 Gbit/s.
    initial_rate : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `onramp`: the rate on the line at which segments leave behind the initial
        window in the first round trip. `off`: none leave. `auto`: the host learns it from earlier
        transfers, from 5 Mbit/s on. Default: `auto`. Range: 1 kbit/s to 1000 Gbit/s.
    qos_rate : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `qos`: the rate that the network guarantees, counted in TCP payload. The IP
        packets need a higher rate. Default: required by start-up `qos`. Range: 1 kbit/s to 1000
        Gbit/s.
    qos_burst : str | float | Sequence[str | float] | ArrayLike | None, optional
        For start-up `qos`: the payload that may leave at once. One segment always may. Default: the
        payload of a millisecond, 2 to 10 segments. Range: 1 B to 4 GB.
    without : Idea | Sequence[Idea] | ArrayLike | None, optional
        For start-up `onramp`: the idea that is switched off, to show its contribution: `nothing`,
        `measuring`, `clock`, `probing`, `line`, `sharing`, `spacing`, `validating`, `easing`,
        `raising`, `delay` or `retreat` ([what each idea is](../algorithms/onramp.md)). Default:
        `nothing`.
    search : Version | Sequence[Version] | ArrayLike | None, optional
        For start-up `search`: its version, `draft`, `linux` or `freebsd` ([what they differ
        in](../algorithms/search.md)). Default: `draft`.
    memory : Memory | Sequence[Memory] | ArrayLike | None, optional
        For start-up `onramp`: later copies use what earlier copies measured of the path, but not
        while another copy uses it. `careful` follows RFC 9959, `at-once` uses it before the initial
        window is acknowledged, `off` remembers nothing. Default: `off`.
    byte_counting : str | int | Sequence[str | int] | ArrayLike | None, optional
        Maximum growth of the window per ACK in slow start: the limit L of RFC 3465. Default: of the
        stack: `1 segment` with `lite`, else `unlimited`. Range: 1 segment to 255 segments.
    avoidance : Avoidance | Sequence[Avoidance] | ArrayLike | None, optional
        Congestion avoidance that follows the start-up: `cubic`, `bbr`, `bbr3`, `reno`, `vegas`,
        `westwood`, `pipe`, `dctcp` or `prague`. Default: `cubic`; `reno` with stack `lite`.
    hystart : bool | Sequence[bool] | ArrayLike | None, optional
        For start-ups `none` and `standard` with avoidance `cubic`: CUBIC has HyStart, which ends
        slow start before it overflows a queue. `false` is Linux with the module parameter `hystart`
        of `tcp_cubic` at 0. Default: `true`.
    connect : End | None, optional
        The end that connects. `receiver` then requests the data. `sender` sends as soon as its
        handshake is complete. Default: `receiver`.
    train : Reading | None, optional
        How a start-up derives a rate from the ACKs of a flight: from their least-squares `line`,
        from their `ends`, or from the `closest` of them. And how `astart` filters its samples:
        `latest` takes the latest sample instead of the mean of two, `calm` compares with the
        maximum instability of the connection instead of that of ten samples. And `remaining`:
        `spaced` sends one segment for each ACK of a flight, then what remains. And `round`: `paced`
        takes the closest ACKs, and paces for a whole round trip on hosts with a coarse clock too.
        And `westwood`: a timeout leaves `astart` the BDP at its rate as ssthresh. And when `pair`
        shapes what follows a recovery: from its first ACK on (`new-ack`), or not for a round trip,
        but until cwnd is full (`until-full`). Default: `line`.
    initial_window : str | int | Sequence[str | int] | ArrayLike | None, optional
        What the sender may send before the first ACK. Default: `host`. Range: 1 segment to 1000
        segments.
    initial_ssthresh : str | float | None, optional
        The initial ssthresh, at which the first slow start ends. Default: none. Range: 1 B to 1000
        GB.
    from_ : str | Sequence[str] | ArrayLike | None, optional
        The node that sends the data, or several nodes: the copies take them in turn. Default:
        `sender` of a `[path]`.
    to : str | Sequence[str] | ArrayLike | None, optional
        The node that receives the data, or several nodes. Default: `receiver` of a `[path]`.
    split : str | Sequence[str] | ArrayLike | None, optional
        The nodes of the forward path at which the connection is split, from the sender's side to
        the receiver's. Default: none.
    split_buffer : str | float | None, optional
        With `split`: size of the receive buffer and of the send buffer of each relay. Default: `4
        MiB`. Range: 4 KiB to 1 GiB.
    split_rate : str | float | None, optional
        With `split`: the relays send at this rate, counted in IP packets, without congestion
        control. Default: as the transfer's TCP sends. Range: 1 kbit/s to 1000 Gbit/s.
    connections : str | int | Sequence[str | int] | ArrayLike | None, optional
        How many parallel connections carry the payload: a number, or `adaptive`. With `requests`
        also `multiplexed`: one connection, on which all requests but the first leave at once.
        Default: `1`. Range: 1 to 64.
    dscp : CodePoint | Sequence[CodePoint] | ArrayLike | None, optional
        How the sender marks its IP packets (RFC 2474): `best-effort`, or `ef` for links with
        `ef_rate`. Default: `best-effort`.
    count : int | None, optional
        Copies of the transfer in the same run, each with a result. Default: `1`. Range: 1 to
        100000.
    start : str | float | None, optional
        Earliest start of the first copy, since the beginning of the run. Default: `0 s`. Range: 0 s
        to 1000000 s.
    spacing : str | float | None, optional
        Time from the start of one copy to the start of the next. With `exponential` and a mean the
        copies start as a Poisson process. Default: `0 s`. Range: 0 s to 3600 s.
    write : str | float | Sequence[str | float] | ArrayLike | None, optional
        Payload of each write of the sending application, or of several writes, the last of which is
        repeated. Default: all at once. Range: 1 B to 1000 GB.
    write_every : str | float | Sequence[str | float] | ArrayLike | None, optional
        With `write`: time from one write to the next, or several times, the last of which is
        repeated. Default: all at once. Range: 1 ns to 3600 s.
    requests : int | None, optional
        How many requests the receiver sends. The answers share `size` evenly. A connection has one
        request at a time, and with several `connections` all but the first open when the first
        answer has arrived. Default: `1`. Range: 1 to 10000.
    think : str | float | None, optional
        With `requests` on one connection: time from the last byte of an answer to the next request,
        fixed or, as in `exponential 200 ms`, drawn with a mean. Results leave it out. Default: `0
        s`. Range: 0 s to 3600 s.
    play : str | float | None, optional
        With `requests`: the answers are segments of a video of this duration. The player asks for
        the next one when its buffer has room. Default: no video. Range: 1 ms to 3600 s.
    player_buffer : str | float | None, optional
        With `play`: duration of the video that the player buffers, at least two segments. Default:
        `30 s`. Range: 2 ms to 36000 s.
    repeat : int | None, optional
        How often each case of this table runs. Default: `1`. Range: 1 to 1000.
    parameters : TransferParameters | None, optional
        Constants of its start-up, instead of those in the header of the algorithm.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "label": "text",
        "size": "size, or distribution",
        "ip": "IP version",
        "segment": "size",
        "transport": "transport",
        "stack": "stack",
        "window_scaling": "true or false",
        "ecn": "true or false",
        "recovery": "recovery",
        "timers": "timers",
        "clock": "time",
        "tick": "time",
        "startup": "start-up",
        "gamma": "share",
        "pace": "rate",
        "initial_rate": "initial rate",
        "qos_rate": "rate",
        "qos_burst": "size",
        "without": "idea",
        "search": "version",
        "memory": "memory",
        "byte_counting": "byte counting",
        "avoidance": "avoidance",
        "hystart": "true or false",
        "connect": "end",
        "train": "reading",
        "initial_window": "initial window",
        "initial_ssthresh": "size",
        "from": "node",
        "to": "node",
        "split": "node",
        "split_buffer": "size",
        "split_rate": "rate",
        "connections": "connections",
        "dscp": "code point",
        "count": "integer",
        "start": "time",
        "spacing": "time, or `exponential`",
        "write": "size",
        "write_every": "time",
        "requests": "integer",
        "think": "time, or `exponential`",
        "play": "time",
        "player_buffer": "time",
        "repeat": "integer",
    }

    size: str | float | Sequence[str | float] | ArrayLike
    label: str | None = None
    ip: IpVersion | Sequence[IpVersion] | ArrayLike | None = None
    segment: str | float | Sequence[str | float] | ArrayLike | None = None
    transport: Transport | Sequence[Transport] | ArrayLike | None = None
    stack: Stack | Sequence[Stack] | ArrayLike | None = None
    window_scaling: bool | Sequence[bool] | ArrayLike | None = None
    ecn: bool | Sequence[bool] | ArrayLike | None = None
    recovery: Recovery | Sequence[Recovery] | ArrayLike | None = None
    timers: Timers | Sequence[Timers] | ArrayLike | None = None
    clock: str | float | Sequence[str | float] | ArrayLike | None = None
    tick: str | float | Sequence[str | float] | ArrayLike | None = None
    startup: str | Sequence[str] | ArrayLike | None = None
    gamma: str | Sequence[str] | ArrayLike | None = None
    pace: str | float | Sequence[str | float] | ArrayLike | None = None
    initial_rate: str | float | Sequence[str | float] | ArrayLike | None = None
    qos_rate: str | float | Sequence[str | float] | ArrayLike | None = None
    qos_burst: str | float | Sequence[str | float] | ArrayLike | None = None
    without: Idea | Sequence[Idea] | ArrayLike | None = None
    search: Version | Sequence[Version] | ArrayLike | None = None
    memory: Memory | Sequence[Memory] | ArrayLike | None = None
    byte_counting: str | int | Sequence[str | int] | ArrayLike | None = None
    avoidance: Avoidance | Sequence[Avoidance] | ArrayLike | None = None
    hystart: bool | Sequence[bool] | ArrayLike | None = None
    connect: End | None = None
    train: Reading | None = None
    initial_window: str | int | Sequence[str | int] | ArrayLike | None = None
    initial_ssthresh: str | float | None = None
    from_: str | Sequence[str] | ArrayLike | None = None
    to: str | Sequence[str] | ArrayLike | None = None
    split: str | Sequence[str] | ArrayLike | None = None
    split_buffer: str | float | None = None
    split_rate: str | float | None = None
    connections: str | int | Sequence[str | int] | ArrayLike | None = None
    dscp: CodePoint | Sequence[CodePoint] | ArrayLike | None = None
    count: int | None = None
    start: str | float | None = None
    spacing: str | float | None = None
    write: str | float | Sequence[str | float] | ArrayLike | None = None
    write_every: str | float | Sequence[str | float] | ArrayLike | None = None
    requests: int | None = None
    think: str | float | None = None
    play: str | float | None = None
    player_buffer: str | float | None = None
    repeat: int | None = None
    parameters: TransferParameters | None = None


@dataclass(kw_only=True)
class Sender(TableOfKeys):
    """``[sender]``: the hosts that send data.

    Parameters
    ----------
    buffer : str | float | Sequence[str | float] | ArrayLike | None, optional
        Maximum size of the sender's socket buffer. Default: `64 MiB`. Range: 4 KiB to 1 GiB.
    nagle : bool | None, optional
        A small segment waits while data is in flight (Nagle's algorithm). With stack `linux` it
        waits only while another small segment is in flight, as in Linux (Minshall's variant).
        Default: `true`.
    window_validation : bool | None, optional
        The congestion window grows only while it limits the sender (RFC 7661), as in Linux. In the
        simulators of the nineties it grew with every ACK. Default: `true`.
    packet_pairs : bool | None, optional
        Start-up `onramp` sends packet pairs. Start-up `pair` always does. Default: `false`.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "buffer": "buffer",
        "nagle": "true or false",
        "window_validation": "true or false",
        "packet_pairs": "true or false",
    }

    buffer: str | float | Sequence[str | float] | ArrayLike | None = None
    nagle: bool | None = None
    window_validation: bool | None = None
    packet_pairs: bool | None = None


@dataclass(kw_only=True)
class Receiver(TableOfKeys):
    """``[receiver]``: the hosts that receive data.

    Parameters
    ----------
    buffer : str | float | Sequence[str | float] | ArrayLike | None, optional
        The receiver's socket buffer: auto-tuned as Linux does it, or of this size from the start.
        Default: `linux-default`. Range: 4 KiB to 1 GiB.
    acks : Acks | None, optional
        When it sends ACKs: `linux`, `delayed`, `bsd`, `every`, `every-4` or `every-16`. Default: of
        the stack.
    lie : Lie | None, optional
        How it deceives the sender: `none`, `clock`, `losses`, `clock-and-losses`, `early`, `split`
        or `duplicates`. Default: `none`.
    timestamps : bool | None, optional
        It offers timestamps (RFC 7323). Default: of the stack.
    sack : bool | None, optional
        It offers selective acknowledgements (RFC 2018). Default: of the stack.
    window_scaling : bool | None, optional
        It offers window scaling (RFC 7323). Default: of the stack.
    packet_pair : PacketPairs | None, optional
        How it reacts to packet pairs: `none`, `answer`, `answer-at-once` or `probe`. Default:
        `answer` if the sender sends packet pairs, else `none`.
    pair_option : Form | None, optional
        How both ends write the packet-pair option: `experiment` (kind 253, nanoseconds) or `paper`
        (kind 6, ticks of 10 ms). Default: `experiment`.
    pair_clock : str | float | None, optional
        Granularity with which it measures the arrivals of packet pairs. Default: of the stack: `500
        ms` with `lite`, else `1 ns`. Range: 1 ns to 10 s.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "buffer": "buffer",
        "acks": "acks",
        "lie": "lie",
        "timestamps": "true or false",
        "sack": "true or false",
        "window_scaling": "true or false",
        "packet_pair": "packet pairs",
        "pair_option": "form",
        "pair_clock": "time",
    }

    buffer: str | float | Sequence[str | float] | ArrayLike | None = None
    acks: Acks | None = None
    lie: Lie | None = None
    timestamps: bool | None = None
    sack: bool | None = None
    window_scaling: bool | None = None
    packet_pair: PacketPairs | None = None
    pair_option: Form | None = None
    pair_clock: str | float | None = None


@dataclass(kw_only=True)
class Run(TableOfKeys):
    """``[run]``: the end of the run, and its hosts.

    Parameters
    ----------
    duration : str | float | None, optional
        The run ends at this time, even if transfers are unfinished. Default: until all is finished.
        Range: 1 ms to 1000000 s.
    hosts : Hosts | None, optional
        How long hosts take to process a packet: `exact` or `noisy`. `exact` hosts take no time.
        Those of the lab are real, and always noisy. Default: `noisy` if a case repeats and nothing
        else is random, else `exact`.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "duration": "time",
        "hosts": "hosts",
    }

    duration: str | float | None = None
    hosts: Hosts | None = None


@dataclass(kw_only=True)
class Link(TableOfKeys):
    """``[[link]]``: a link between two nodes, with a channel in each direction.

    Parameters
    ----------
    from_ : str
        The node at which the link begins.
    to : str
        The node at which the link ends.
    delay : str | float | None, optional
        One-way propagation delay. It is left out where the delay of `[[link]]` is recorded. Range:
        0 s to 3600 s.
    mtu : str | float | None, optional
        Size of the largest IP packet, in both directions. Default: `1500 B`. Range: 296 B to 9000
        B.
    rate : str | float | None, optional
        Rate of the serialiser, counted in IP packets, or in what `framing` says. The reverse
        direction has the forward rate unless it has its own. Range: 1 kbit/s to 1000 Gbit/s.
    trace : str | PathLike[str] | None, optional
        Instead of `rate`: a file with a recorded link, relative to the scenario file. In mahimahi's
        format each line is a millisecond at which the link carries 1500 bytes. A file `*.csv` has
        columns with a time and the rate, the one-way delay or the loss from then on, such as
        `time_s`, `rate_mbits_per_s`, `delay_ms` and `loss_percent`. The file repeats. Its mean rate
        stands for `rate` elsewhere; a file without rates needs `rate`. Default: none.
    delay_trace : str | PathLike[str] | None, optional
        A file with the recorded delay, or loss, where the file of `trace` has none: a file `*.csv`
        with columns such as `time_s`, `delay_ms` and `loss_percent`; or a list of one-way delays in
        milliseconds, a line for each 10 ms. The file repeats. Default: none.
    trace_offset : str | float | None, optional
        With `trace` or `delay_trace`: the time of the recording at which a run begins, or `random`:
        each repeat begins at another time. The return path has that of the forward path unless it
        has its own. Default: `0 s`. Range: 0 s to 1000000 s.
    service : Service | None, optional
        When the link carries bytes: `steady` or `poisson`. `poisson` carries 1500 bytes at random
        moments, whose mean rate is `rate`; a moment at which nothing waits is lost. Default:
        `steady`.
    framing : Framing | None, optional
        What the rate counts: `packets`, `aal5` or `aal5-snap`. `aal5` is ATM: each packet with a
        trailer of 8 bytes fills cells of 53 bytes that carry 48; `aal5-snap` has 8 bytes of header
        too. Both are for links of a steady rate. The reverse direction has the framing of the rate
        that it takes. Default: `packets`.
    queue : str | float | None, optional
        Room of the queue before the serialiser. The reverse direction has the forward queue unless
        it has its own, or `fq-codel`. Default: `1 bdp`; `10240 packets` with `fq-codel`. Range: 1
        packet to 1000000000 packets; 1 B to 1000 GB; 0.000001 bdp to 1000 bdp.
    discipline : Discipline | None, optional
        How the queue is kept: `drop-tail`, `red`, `codel`, `fq-codel` or `dualpi2`. Default:
        `drop-tail`.
    ecn : bool | None, optional
        For `red`, `codel` and `fq-codel`: packets of connections with `ecn` are marked where others
        are dropped early (RFC 3168). `dualpi2` always marks. Default: `false`.
    ack_filter : bool | None, optional
        With `drop-tail`: removes an acknowledgement that waits in the queue when a later one of its
        connection acknowledges at least as much. Default: `false`.
    loss : str | None, optional
        Probability with which each packet is lost, independently of the others. Default: `0 %`.
        Range: 0 % to 50 %.
    loss_every : str | int | None, optional
        Instead of `loss`: the last of each this many packets that carry data is lost. Default:
        none. Range: 1 packet to 1000000000 packets.
    duplicate : str | None, optional
        Probability with which each packet arrives twice. Default: `0 %`. Range: 0 % to 50 %.
    jitter : str | float | None, optional
        Maximum extra delay of a packet. The extra delay of each packet is drawn evenly from zero to
        this. Default: none. Range: 1 ns to 60 s.
    reorder : bool | None, optional
        With `jitter` or a recorded delay: packets may overtake each other. Otherwise each packet
        waits for those before it. Default: `false`.
    aggregate : str | float | None, optional
        At the end of the channel packets are held for this time after the first of them, then
        arrive together. Default: none. Range: 1 ns to 60 s.
    aggregate_slots : bool | None, optional
        With `aggregate`: packets arrive at multiples of that time instead, as with interrupts and
        with grants of a medium. The first one is at a random time of each run. Default: `false`.
    aggregate_gap : str | float | None, optional
        With `aggregate`: time from one packet of an aggregate to the next as they arrive. A kernel
        takes some microseconds for each. Default: `0 s`. Range: 0 s to 1 s.
    aggregate_most : int | None, optional
        With `aggregate`: the packets arrive as soon as this many are held. Default: `64`. Range: 1
        to 1000000.
    late : str | float | None, optional
        Maximum lateness of the timer at the end of the channel after an idle time, as that of a
        host that sleeps. Packets that are due in the meantime arrive with the first one. Default:
        none. Range: 1 ns to 60 s.
    late_after : str | float | None, optional
        With `late`: the timer is late where no packet has arrived for longer than this. Default: `1
        ms`. Range: 0 s to 60 s.
    shaper_rate : str | float | None, optional
        A token bucket of this rate holds packets back in the queue. Default: none. Range: 1 kbit/s
        to 1000 Gbit/s.
    shaper_burst : str | float | None, optional
        Size of the shaper's bucket, which is full at the start. Default: none. Range: 1 B to 1 GB.
    policer_rate : str | float | None, optional
        A token bucket of this rate drops packets that arrive in excess of it. Default: none. Range:
        1 kbit/s to 1000 Gbit/s.
    policer_burst : str | float | None, optional
        Size of the policer's bucket, which is full at the start. Default: none. Range: 1 B to 1 GB.
    ef_rate : str | float | None, optional
        Expedited forwarding (RFC 3246): the rate guaranteed to each flow with `dscp = "ef"`, at
        most `rate`. Packets of the flow in excess of it are dropped. Default: none. Range: 1 kbit/s
        to 1000 Gbit/s.
    ef_burst : str | float | None, optional
        Size of the token bucket of each such flow, which is full at the start. Default: none.
        Range: 1 B to 1 GB.
    reverse : LinkReverse | None, optional
        The direction from `to` to `from`, where it differs.
    change : Sequence[LinkChange], optional
        Other rates, delays and losses from some time on.
    steps : Steps | None, optional
        A rate that changes at random, up to `rate`.
    red : Red | None, optional
        Thresholds of the queue discipline `red`.
    codel : CoDel | None, optional
        Delays of the queue disciplines `codel` and `fq-codel`.
    dualpi2 : DualPi2 | None, optional
        Delays of the queue discipline `dualpi2`.
    bursts : Bursts | None, optional
        Losses in bursts, instead of `loss`.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "from": "node",
        "to": "node",
        "delay": "time",
        "mtu": "size",
        "rate": "rate",
        "trace": "file",
        "delay_trace": "file",
        "trace_offset": "time, or `random`",
        "service": "service",
        "framing": "framing",
        "queue": "queue",
        "discipline": "discipline",
        "ecn": "true or false",
        "ack_filter": "true or false",
        "loss": "share",
        "loss_every": "packets",
        "duplicate": "share",
        "jitter": "time",
        "reorder": "true or false",
        "aggregate": "time",
        "aggregate_slots": "true or false",
        "aggregate_gap": "time",
        "aggregate_most": "integer",
        "late": "time",
        "late_after": "time",
        "shaper_rate": "rate",
        "shaper_burst": "size",
        "policer_rate": "rate",
        "policer_burst": "size",
        "ef_rate": "rate",
        "ef_burst": "size",
    }

    from_: str
    to: str
    delay: str | float | None = None
    mtu: str | float | None = None
    rate: str | float | None = None
    trace: str | PathLike[str] | None = None
    delay_trace: str | PathLike[str] | None = None
    trace_offset: str | float | None = None
    service: Service | None = None
    framing: Framing | None = None
    queue: str | float | None = None
    discipline: Discipline | None = None
    ecn: bool | None = None
    ack_filter: bool | None = None
    loss: str | None = None
    loss_every: str | int | None = None
    duplicate: str | None = None
    jitter: str | float | None = None
    reorder: bool | None = None
    aggregate: str | float | None = None
    aggregate_slots: bool | None = None
    aggregate_gap: str | float | None = None
    aggregate_most: int | None = None
    late: str | float | None = None
    late_after: str | float | None = None
    shaper_rate: str | float | None = None
    shaper_burst: str | float | None = None
    policer_rate: str | float | None = None
    policer_burst: str | float | None = None
    ef_rate: str | float | None = None
    ef_burst: str | float | None = None
    reverse: LinkReverse | None = None
    change: Sequence[LinkChange] = ()
    steps: Steps | None = None
    red: Red | None = None
    codel: CoDel | None = None
    dualpi2: DualPi2 | None = None
    bursts: Bursts | None = None


@dataclass(kw_only=True)
class Node(TableOfKeys):
    """``[[node]]``: a host or router.

    Parameters
    ----------
    name : str
        Name of the node: 1 to 64 characters of `a-z`, `0-9` and `-`, not beginning with `-`.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "name": "node",
    }

    name: str


@dataclass(kw_only=True)
class Path(TableOfKeys):
    """``[path]``: the bottleneck from sender to receiver, and the round-trip time.

    Parameters
    ----------
    rtt : str | float | Sequence[str | float] | ArrayLike | None, optional
        Round-trip propagation time: the delays of both directions, without queues. It is left out
        where the delay of `[path]` is recorded. Range: 1 us to 3600 s.
    mtu : str | float | None, optional
        Size of the largest IP packet, in both directions. Default: `1500 B`. Range: 296 B to 9000
        B.
    rate : str | float | Sequence[str | float] | ArrayLike | None, optional
        Rate of the serialiser, counted in IP packets, or in what `framing` says. The reverse
        direction has the forward rate unless it has its own. Range: 1 kbit/s to 1000 Gbit/s.
    trace : str | PathLike[str] | None, optional
        Instead of `rate`: a file with a recorded link, relative to the scenario file. In mahimahi's
        format each line is a millisecond at which the link carries 1500 bytes. A file `*.csv` has
        columns with a time and the rate, the one-way delay or the loss from then on, such as
        `time_s`, `rate_mbits_per_s`, `delay_ms` and `loss_percent`. The file repeats. Its mean rate
        stands for `rate` elsewhere; a file without rates needs `rate`. Default: none.
    delay_trace : str | PathLike[str] | None, optional
        A file with the recorded delay, or loss, where the file of `trace` has none: a file `*.csv`
        with columns such as `time_s`, `delay_ms` and `loss_percent`; or a list of one-way delays in
        milliseconds, a line for each 10 ms. The file repeats. Default: none.
    trace_offset : str | float | Sequence[str | float] | ArrayLike | None, optional
        With `trace` or `delay_trace`: the time of the recording at which a run begins, or `random`:
        each repeat begins at another time. The return path has that of the forward path unless it
        has its own. Default: `0 s`. Range: 0 s to 1000000 s.
    service : Service | None, optional
        When the link carries bytes: `steady` or `poisson`. `poisson` carries 1500 bytes at random
        moments, whose mean rate is `rate`; a moment at which nothing waits is lost. Default:
        `steady`.
    framing : Framing | None, optional
        What the rate counts: `packets`, `aal5` or `aal5-snap`. `aal5` is ATM: each packet with a
        trailer of 8 bytes fills cells of 53 bytes that carry 48; `aal5-snap` has 8 bytes of header
        too. Both are for links of a steady rate. The reverse direction has the framing of the rate
        that it takes. Default: `packets`.
    queue : str | float | Sequence[str | float] | ArrayLike | None, optional
        Room of the queue before the serialiser. The reverse direction has the forward queue unless
        it has its own, or `fq-codel`. Default: `1 bdp`; `10240 packets` with `fq-codel`. Range: 1
        packet to 1000000000 packets; 1 B to 1000 GB; 0.000001 bdp to 1000 bdp.
    discipline : Discipline | None, optional
        How the queue is kept: `drop-tail`, `red`, `codel`, `fq-codel` or `dualpi2`. Default:
        `drop-tail`.
    ecn : bool | None, optional
        For `red`, `codel` and `fq-codel`: packets of connections with `ecn` are marked where others
        are dropped early (RFC 3168). `dualpi2` always marks. Default: `false`.
    ack_filter : bool | None, optional
        With `drop-tail`: removes an acknowledgement that waits in the queue when a later one of its
        connection acknowledges at least as much. Default: `false`.
    loss : str | Sequence[str] | ArrayLike | None, optional
        Probability with which each packet is lost, independently of the others. Default: `0 %`.
        Range: 0 % to 50 %.
    loss_every : str | int | None, optional
        Instead of `loss`: the last of each this many packets that carry data is lost. Default:
        none. Range: 1 packet to 1000000000 packets.
    duplicate : str | None, optional
        Probability with which each packet arrives twice. Default: `0 %`. Range: 0 % to 50 %.
    jitter : str | float | Sequence[str | float] | ArrayLike | None, optional
        Maximum extra delay of a packet. The extra delay of each packet is drawn evenly from zero to
        this. Default: none. Range: 1 ns to 60 s.
    reorder : bool | None, optional
        With `jitter` or a recorded delay: packets may overtake each other. Otherwise each packet
        waits for those before it. Default: `false`.
    aggregate : str | float | Sequence[str | float] | ArrayLike | None, optional
        At the end of the channel packets are held for this time after the first of them, then
        arrive together. Default: none. Range: 1 ns to 60 s.
    aggregate_slots : bool | None, optional
        With `aggregate`: packets arrive at multiples of that time instead, as with interrupts and
        with grants of a medium. The first one is at a random time of each run. Default: `false`.
    aggregate_gap : str | float | None, optional
        With `aggregate`: time from one packet of an aggregate to the next as they arrive. A kernel
        takes some microseconds for each. Default: `0 s`. Range: 0 s to 1 s.
    aggregate_most : int | None, optional
        With `aggregate`: the packets arrive as soon as this many are held. Default: `64`. Range: 1
        to 1000000.
    late : str | float | Sequence[str | float] | ArrayLike | None, optional
        Maximum lateness of the timer at the end of the channel after an idle time, as that of a
        host that sleeps. Packets that are due in the meantime arrive with the first one. Default:
        none. Range: 1 ns to 60 s.
    late_after : str | float | Sequence[str | float] | ArrayLike | None, optional
        With `late`: the timer is late where no packet has arrived for longer than this. Default: `1
        ms`. Range: 0 s to 60 s.
    shaper_rate : str | float | Sequence[str | float] | ArrayLike | None, optional
        A token bucket of this rate holds packets back in the queue. Default: none. Range: 1 kbit/s
        to 1000 Gbit/s.
    shaper_burst : str | float | Sequence[str | float] | ArrayLike | None, optional
        Size of the shaper's bucket, which is full at the start. Default: none. Range: 1 B to 1 GB.
    policer_rate : str | float | Sequence[str | float] | ArrayLike | None, optional
        A token bucket of this rate drops packets that arrive in excess of it. Default: none. Range:
        1 kbit/s to 1000 Gbit/s.
    policer_burst : str | float | Sequence[str | float] | ArrayLike | None, optional
        Size of the policer's bucket, which is full at the start. Default: none. Range: 1 B to 1 GB.
    ef_rate : str | float | None, optional
        Expedited forwarding (RFC 3246): the rate guaranteed to each flow with `dscp = "ef"`, at
        most `rate`. Packets of the flow in excess of it are dropped. Default: none. Range: 1 kbit/s
        to 1000 Gbit/s.
    ef_burst : str | float | None, optional
        Size of the token bucket of each such flow, which is full at the start. Default: none.
        Range: 1 B to 1 GB.
    reverse : PathReverse | None, optional
        The return path, where it differs.
    change : Sequence[PathChange], optional
        Other rates, round-trip times and losses from some time on.
    steps : Steps | None, optional
        A rate that changes at random, up to `rate`.
    red : Red | None, optional
        Thresholds of the queue discipline `red`.
    codel : CoDel | None, optional
        Delays of the queue disciplines `codel` and `fq-codel`.
    dualpi2 : DualPi2 | None, optional
        Delays of the queue discipline `dualpi2`.
    bursts : Bursts | None, optional
        Losses in bursts, instead of `loss`.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "rtt": "time",
        "mtu": "size",
        "rate": "rate",
        "trace": "file",
        "delay_trace": "file",
        "trace_offset": "time, or `random`",
        "service": "service",
        "framing": "framing",
        "queue": "queue",
        "discipline": "discipline",
        "ecn": "true or false",
        "ack_filter": "true or false",
        "loss": "share",
        "loss_every": "packets",
        "duplicate": "share",
        "jitter": "time",
        "reorder": "true or false",
        "aggregate": "time",
        "aggregate_slots": "true or false",
        "aggregate_gap": "time",
        "aggregate_most": "integer",
        "late": "time",
        "late_after": "time",
        "shaper_rate": "rate",
        "shaper_burst": "size",
        "policer_rate": "rate",
        "policer_burst": "size",
        "ef_rate": "rate",
        "ef_burst": "size",
    }

    rtt: str | float | Sequence[str | float] | ArrayLike | None = None
    mtu: str | float | None = None
    rate: str | float | Sequence[str | float] | ArrayLike | None = None
    trace: str | PathLike[str] | None = None
    delay_trace: str | PathLike[str] | None = None
    trace_offset: str | float | Sequence[str | float] | ArrayLike | None = None
    service: Service | None = None
    framing: Framing | None = None
    queue: str | float | Sequence[str | float] | ArrayLike | None = None
    discipline: Discipline | None = None
    ecn: bool | None = None
    ack_filter: bool | None = None
    loss: str | Sequence[str] | ArrayLike | None = None
    loss_every: str | int | None = None
    duplicate: str | None = None
    jitter: str | float | Sequence[str | float] | ArrayLike | None = None
    reorder: bool | None = None
    aggregate: str | float | Sequence[str | float] | ArrayLike | None = None
    aggregate_slots: bool | None = None
    aggregate_gap: str | float | None = None
    aggregate_most: int | None = None
    late: str | float | Sequence[str | float] | ArrayLike | None = None
    late_after: str | float | Sequence[str | float] | ArrayLike | None = None
    shaper_rate: str | float | Sequence[str | float] | ArrayLike | None = None
    shaper_burst: str | float | Sequence[str | float] | ArrayLike | None = None
    policer_rate: str | float | Sequence[str | float] | ArrayLike | None = None
    policer_burst: str | float | Sequence[str | float] | ArrayLike | None = None
    ef_rate: str | float | None = None
    ef_burst: str | float | None = None
    reverse: PathReverse | None = None
    change: Sequence[PathChange] = ()
    steps: Steps | None = None
    red: Red | None = None
    codel: CoDel | None = None
    dualpi2: DualPi2 | None = None
    bursts: Bursts | None = None


@dataclass(kw_only=True)
class Scenario(TableOfKeys):
    """A scenario file.

    Parameters
    ----------
    name : str
        Name of the scenario in tables and files: 1 to 64 characters of `a-z`, `0-9` and `-`, not
        beginning with `-`.
    description : str | None, optional
        One sentence for the report. Default: empty.
    seed : int | None, optional
        The seed from which the seed of each case is derived. Default: `1`. Range: 0 to
        9223372036854775807.
    path : Path | None, optional
        The bottleneck from sender to receiver, and the round-trip time.
    node : Sequence[Node], optional
        A host or router.
    link : Sequence[Link], optional
        A link between two nodes, with a channel in each direction.
    run : Run | None, optional
        The end of the run, and its hosts.
    receiver : Receiver | None, optional
        The hosts that receive data.
    sender : Sender | None, optional
        The hosts that send data.
    transfer : Sequence[Transfer], optional
        Transfers to measure.
    traffic : Sequence[Traffic], optional
        Other traffic on the network.
    """

    KINDS: ClassVar[dict[str, str]] = {
        "name": "name",
        "description": "text",
        "seed": "integer",
    }

    name: str
    description: str | None = None
    seed: int | None = None
    path: Path | None = None
    node: Sequence[Node] = ()
    link: Sequence[Link] = ()
    run: Run | None = None
    receiver: Receiver | None = None
    sender: Sender | None = None
    transfer: Sequence[Transfer] = ()
    traffic: Sequence[Traffic] = ()


__all__ = [
    "Bursts",
    "CoDel",
    "DualPi2",
    "Link",
    "LinkChange",
    "LinkReverse",
    "Node",
    "Path",
    "PathChange",
    "PathReverse",
    "Receiver",
    "Red",
    "Run",
    "Scenario",
    "Sender",
    "Steps",
    "Traffic",
    "Transfer",
    "TransferParameters",
]
