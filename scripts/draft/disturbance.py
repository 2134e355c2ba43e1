"""Recorded inputs with random changes: what recordings of the simulator do not have, or rarely."""

import random

from recording import FLAGS, OPTIONS, RECORDS

MSS = 1448


class Connection:
    """What stays changed in a connection."""

    def __init__(self, rng):
        self.rtt_divisor = rng.choice([1, 1, 1, 1, 20])
        self.siblings = rng.choice([0, 0, 0, 1, 9])
        # So many ACKs leave nothing in flight.
        self.quiet_acks = rng.choice([0] * 9 + [40])
        self.is_app_limited = rng.random() < 0.2
        self.delay_ns = 0
        # The RTT grows by a twentieth in a round: no sample is delayed beside the last round's.
        self.creeps = rng.random() < 0.25
        self.cwnd_factor = rng.choice([1, 1, 1, 4])
        self.lost_bytes = 0
        self.recovering = 0
        self.after_idle = rng.random() < 0.2
        self.window = rng.choice([None, None, 20_000, 200_000])


def start(record, rng, connection):
    record.siblings = connection.siblings
    record.initial_bytes_per_s = rng.choice([0, 75_000, 600_000, 600_000, 4_800_000])
    if rng.random() < 0.3:
        record.ssthresh_bytes = rng.randrange(10, 300) * MSS
    if rng.random() < 0.5:
        record.remembered_bytes = rng.randrange(40, 2000) * MSS
        record.remembered_rtt_ns = record.srtt_ns * rng.choice([1, 1, 1, 1, 3]) or 10**8
        if rng.random() < 0.5:
            record.jump_bytes = rng.randrange(10, 101) * MSS
    record.options ^= OPTIONS["has_timestamps"] * (rng.random() < 0.3)
    record.options ^= OPTIONS["acks_are_delayed"] * (rng.random() < 0.3)
    if rng.random() < 0.05:
        record.srtt_ns = 0
    record.srtt_ns //= connection.rtt_divisor


def ack(record, rng, connection):
    """Change an ACK. Now and then it is a loss instead."""
    if rng.random() < 0.002:
        connection.delay_ns = rng.choice([0, 3, 10, 40]) * 10**6
    if connection.creeps:
        connection.delay_ns += record.srtt_ns * MSS // (20 * max(record.inflight_bytes, MSS))
    if rng.random() < 0.005:
        connection.siblings = rng.choice([0, 0, 1, 9])
    record.siblings = connection.siblings
    record.cwnd_bytes *= connection.cwnd_factor
    record.lost_bytes += connection.lost_bytes
    for member in ("rtt_ns", "srtt_ns"):
        time_ns = getattr(record, member) // connection.rtt_divisor
        setattr(record, member, time_ns + connection.delay_ns if time_ns else 0)
    if rng.random() < 0.01:
        record.rtt_ns = 0
    if connection.quiet_acks:
        connection.quiet_acks -= 1
        record.inflight_bytes = 0
        record.flags |= FLAGS["is_app_limited"]
    if connection.is_app_limited and rng.random() < 0.8:
        record.flags |= FLAGS["is_app_limited"]
    if rng.random() < 0.1:
        record.flags ^= FLAGS["is_cwnd_limited"]
    if connection.window:
        record.peer_window_bytes = connection.window
    if connection.after_idle:
        record.ssthresh_bytes = rng.choice([record.ssthresh_bytes, 200 * MSS, 20 * MSS])
    if connection.recovering:
        connection.recovering -= 1
        record.flags |= FLAGS["is_recovering"]
        record.ssthresh_bytes = min(record.ssthresh_bytes, record.cwnd_bytes)
        if rng.random() < 0.05:
            connection.lost_bytes += rng.choice([1, 9]) * MSS
    if rng.random() < 0.005:
        return loss_of(record, rng, connection)
    return "Ack", record


def loss_of(record, rng, connection):
    """A loss instead of this ACK."""
    lost_bytes = rng.choice([0, 1, 1, 4, 40]) * MSS
    connection.lost_bytes += lost_bytes
    connection.recovering = rng.randrange(100)
    return "Loss", RECORDS["Loss"](
        now_ns=record.now_ns, inflight_bytes=record.inflight_bytes + lost_bytes,
        cwnd_bytes=record.cwnd_bytes, ssthresh_bytes=record.cwnd_bytes * 7 // 10,
        acknowledged_bytes=record.delivered_bytes, mss_bytes=record.mss_bytes,
        lost_bytes=record.lost_bytes + lost_bytes, kind=rng.choice([1, 1, 1, 1, 1, 2, 3]))


def disturb(events, seed):
    """The events with changes. What follows the end of a start-up is left as it is."""
    rng, connections = random.Random(seed), {}
    for number, (kind, before, record, _) in enumerate(events, 1):
        record = type(record).from_buffer_copy(record)
        if kind == "Start":
            connections[number] = connection = Connection(rng)
            start(record, rng, connection)
        else:
            connections[number] = connection = connections[before]
            if kind == "Ack":
                kind, record = ack(record, rng, connection)
            else:
                record.lost_bytes += connection.lost_bytes
                record.kind = rng.choice([1, 1, 1, 1, 2, 3])
        yield kind, before, record, None
