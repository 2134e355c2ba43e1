//! Aron & Druschel (1998), section 4.1: measurement and scheduling with different clocks, and the
//! use of the timestamp option.

use crate::script::{plain, Script, MS_NS};
use onramp_tcp::{Config, Options, Recovery, Segment, Ticks, Timers};

/// Value of the timestamp clock at time 0.
const OFFSET_MS: u32 = 5000;

/// An end that is established at 100 ms, measures in nanoseconds and acts every 10 ms.
fn script(timestamps: bool) -> Script {
    let ticks = Ticks {
        measure_ns: 1,
        event_ns: 10 * MS_NS,
        phase_ns: 0,
    };
    let timers = Timers::Decoupled;
    Script::new(Config {
        timestamps,
        timers,
        ticks,
        timestamp_offset: OFFSET_MS,
        ..plain(Recovery::Reno)
    })
}

/// An acknowledgement arrives that echoes the timestamp of `sent_ms`.
fn acknowledge(script: &mut Script, at_ns: u64, ack: i64, sent_ms: u32) {
    script.now_ns = at_ns;
    let options = Options {
        timestamps: Some((77, OFFSET_MS + sent_ms)),
        ..Options::default()
    };
    script.arrives(Segment {
        options,
        ..script.bare(ack)
    });
}

/// The RTT sample that `event` caused, in microseconds: an eighth of its error moved the mean.
fn measured_us(script: &mut Script, event: impl FnOnce(&mut Script)) -> i64 {
    let before = script.end.srtt_ns() as i64;
    event(script);
    (8 * script.end.srtt_ns() as i64 - 7 * before + 500) / 1000
}

#[test]
fn if_two_measurements_agree_the_finer_one_counts() {
    let mut script = script(true);
    script.write(900);
    let us = measured_us(&mut script, |script| {
        acknowledge(script, 160_400_000, 900, 100)
    });
    assert_eq!(us, 60_400);
}

#[test]
fn an_echo_of_another_transmission_overrides_the_hosts_clock() {
    let mut script = script(true);
    script.write(900);
    // The host's clock gives 60.4 ms. The segment that the peer acknowledged was sent 30 ms ago.
    let us = measured_us(&mut script, |script| {
        acknowledge(script, 160_400_000, 900, 130)
    });
    assert_eq!(us, 30_000);
}

/// Karn's algorithm: without the option, the acknowledgement of a retransmitted segment is
/// ambiguous.
#[test]
fn only_the_timestamp_option_times_a_retransmitted_segment() {
    for (timestamps, wanted) in [(true, Some(40_000)), (false, None)] {
        let mut script = script(timestamps);
        script.write(900);
        let sent = script.until(1000);
        assert_eq!(sent.len(), 1, "{sent:?}");
        let retransmitted_ms: u32 = sent[0].split(' ').next().unwrap().parse().unwrap();
        let (srtt_ns, backed_off_ns) = (script.end.srtt_ns(), script.end.rto_ns());
        let at_ns = (u64::from(retransmitted_ms) + 40) * MS_NS;
        let us = measured_us(&mut script, |script| match timestamps {
            true => acknowledge(script, at_ns, 900, retransmitted_ms),
            false => drop(script.ack(900)),
        });
        match wanted {
            Some(wanted) => assert_eq!((us, script.end.rto_ns() < backed_off_ns), (wanted, true)),
            None => assert_eq!(
                (script.end.srtt_ns(), script.end.rto_ns()),
                (srtt_ns, backed_off_ns)
            ),
        }
    }
}

/// "The BSD implementations use a 500ms clock granularity": timestamps are not finer than the
/// host's clock.
#[test]
fn timestamps_of_a_coarse_clock_are_coarse() {
    let ticks = Ticks {
        phase_ns: 0,
        ..Ticks::BSD
    };
    let mut script = Script::new(Config {
        timestamps: true,
        timers: Timers::Decoupled,
        ticks,
        timestamp_offset: OFFSET_MS,
        ..plain(Recovery::Reno)
    });
    let mut value_at = |ms: u64| {
        script.now_ns = ms * MS_NS;
        script.end.write(900);
        let transmit = script
            .end
            .poll_transmit(script.now_ns)
            .expect("there is room");
        transmit
            .segment
            .options
            .timestamps
            .expect("they are in use")
            .0
            - OFFSET_MS
    };
    assert_eq!([100, 499, 500, 1100].map(&mut value_at), [0, 0, 500, 1000]);
}
