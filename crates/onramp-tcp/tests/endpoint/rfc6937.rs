//! RFC 6937: Proportional Rate Reduction for TCP.

use crate::script::{plain, Script, MS_NS};
use onramp_tcp::{Config, InitialWindow, Recovery};

/// Twenty segments are in flight at 200 ms.
fn script() -> Script {
    let config = Config {
        initial_window: InitialWindow::Segments(20),
        ..plain(Recovery::Prr)
    };
    let mut script = Script::new(config);
    script.write(200_000);
    script.now_ns = 200 * MS_NS;
    script
}

#[test]
fn fewer_than_half_of_the_delivered_segments_are_sent() {
    let mut script = script();
    //= RFC 6937 section 3.1: sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out
    let mut sent = Vec::new();
    for right in 2..=14 {
        sent.push(script.sack(0, &[(1000, 1000 * right)]).join(" "));
    }
    // Limited transmit sends two segments. Then RecoverFS is 22 and ssthresh 10, so ten segments
    // are sent for each 22 delivered: the second after 2 * 22 / 10, the third after 3 * 22 / 10.
    let expected = [
        "20000:21000",
        "21000:22000",
        "0:1000 rexmt",
        "",
        "",
        "",
        "22000:23000",
        "",
        "23000:24000",
        "",
        "24000:25000",
        "",
        "25000:26000",
    ];
    assert_eq!(sent, expected);
}

#[test]
fn many_losses_are_retransmitted_in_slow_start_up_to_ssthresh() {
    let mut script = script();
    // The first 15 of the 20 segments are lost.
    script.sack(0, &[(15_000, 16_000)]);
    script.sack(0, &[(15_000, 17_000)]);
    assert_eq!(script.sack(0, &[(15_000, 18_000)]), ["0:1000 rexmt"]);
    //= RFC 6937 section 3.1: pipe is below ssthresh, so as much is sent as is delivered, or one
    // segment more
    assert_eq!(script.sack(0, &[(15_000, 19_000)]).len(), 1);
    script.now_ns = 300 * MS_NS;
    assert_eq!(script.ack(1000).len(), 2);
    assert_eq!(script.ack(2000).len(), 2);
}

#[test]
fn recovery_ends_with_cwnd_at_ssthresh() {
    let mut script = script();
    (2..=8).for_each(|right| drop(script.sack(0, &[(1000, 1000 * right)])));
    script.now_ns = 300 * MS_NS;
    script.ack(22_000);
    //= RFC 6937 section 3: "At the end of recovery [...] cwnd = ssthresh"
    assert_eq!(script.window(), (10, 10));
}
