"""Models of papers, for a link of your own."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandas as pd

from onramp import _onramp
from onramp._quantities import quantity


@dataclass(frozen=True)
class Chaher:
    """The answer of the model of Chaher et al. (1998) for a link. ``docs/model.md`` explains it.

    Attributes
    ----------
    rate_packets_per_s : float
        mu: the rate of the link.
    available_packets_per_s : float
        mu - lambda: the rate that the background traffic leaves.
    rho : float
        The background traffic's share of the rate, 0 to 1.
    beta : float
        The queue over the BDP of the available rate.
    beta_limit : float
        Each cycle has two slow starts if beta is below this.
    starts_twice : bool
        Each cycle has two slow starts.
    max_window_packets : float
        W_max: the window that fills the path and the queue.
    threshold_packets : float
        W_th: the ssthresh of Tahoe, half of W_max.
    overflow_window_packets : float
        W_B: the window at which slow start overflows the queue.
    detected_window_packets : float or None
        W_D: the window at which the loss of slow start is detected; None with one slow start.
    gamma_max : float
        A gamma below this avoids the second slow start.
    gamma_helps : bool
        Some gamma below 1/2 makes congestion avoidance start at a larger window.
    max_spacing_packets_per_s : float or None
        R_max: spacing slow start's packets below this rate avoids the second slow start; None if
        every rate does.
    max_spacing_bits_per_s : float or None
        The same in bit/s.
    buffer_limit_packets : float
        A queue above this avoids the second slow start.
    sources : pandas.DataFrame
        Tahoe and its variants on this link, one a row: the length of a cycle, its packets, the
        throughput.
    cautions : list of str
        The assumptions of the model that the link does not meet.
    """

    rate_packets_per_s: float
    available_packets_per_s: float
    rho: float
    beta: float
    beta_limit: float
    starts_twice: bool
    max_window_packets: float
    threshold_packets: float
    overflow_window_packets: float
    detected_window_packets: float | None
    gamma_max: float
    gamma_helps: bool
    max_spacing_packets_per_s: float | None
    max_spacing_bits_per_s: float | None
    buffer_limit_packets: float
    sources: pd.DataFrame
    cautions: list[str]


def _text(key: str, kind: str, value: str | float | None) -> str | None:
    return None if value is None else str(quantity(key, kind, value))


def chaher(
    *,
    rate: str | float,
    rtt: str | float,
    queue: str | float,
    background: str | float | None = None,
    packet: str | float = "1500 B",
    gamma: float | None = None,
    spacing: str | float | None = None,
) -> Chaher:
    """Tell whether TCP Tahoe starts slowly twice in each cycle on a link, and what avoids that.

    Parameters
    ----------
    rate : str or float
        Rate of the bottleneck, counted in IP packets: a text with its unit, or bit/s.
    rtt : str or float
        Round-trip time without queueing: a text with its unit, or seconds.
    queue : str or float
        Queue of the bottleneck: a text with its unit, or packets.
    background : str or float, optional
        Constant rate of the background traffic, as ``rate``. Default: none.
    packet : str or float, default "1500 B"
        Size of an IP packet: a text with its unit, or bytes.
    gamma : float, optional
        Examine also this ssthresh after a loss, as a share of the window: above 0, at most 0.5.
    spacing : str or float, optional
        Space the packets of slow start at this rate, as ``rate``. Default: the rate that the
        background leaves.

    Returns
    -------
    Chaher
        The quantities of the model.

    Raises
    ------
    ModelError
        The model does not cover the link, or a quantity cannot be read.

    Examples
    --------
    >>> import onramp.model
    >>> answer = onramp.model.chaher(rate="1.5 Mbit/s", rtt="560 ms", queue="12 packets")
    >>> answer.starts_twice
    True
    >>> round(answer.beta, 3)
    0.169
    """
    answer = json.loads(
        _onramp.chaher(
            rate=str(quantity("rate", "rate", rate)),
            rtt=str(quantity("rtt", "time", rtt)),
            queue=str(quantity("queue", "queue", queue)),
            background=_text("background", "rate", background),
            packet=str(quantity("packet", "size", packet)),
            gamma=gamma,
            spacing=_text("spacing", "rate", spacing),
        )
    )
    del answer["link"]
    sources = pd.DataFrame(answer.pop("sources")).drop(columns="phases")
    return Chaher(sources=sources, **answer)
