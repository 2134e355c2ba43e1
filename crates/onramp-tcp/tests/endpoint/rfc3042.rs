//! RFC 3042: Enhancing TCP's Loss Recovery Using Limited Transmit.

use crate::script::{plain, segments, Script, MS_NS};
use onramp_tcp::Recovery;

#[test]
fn the_first_two_duplicate_acks_send_new_data() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let mut script = Script::new(plain(recovery));
        script.write(100_000);
        script.now_ns = 200 * MS_NS;
        let mut duplicate = |index: i64| match recovery {
            Recovery::Sack => script.sack(0, &[(1000, 1000 * (index + 1))]),
            _ => script.ack(0),
        };
        //= RFC 3042 section 2
        assert_eq!(duplicate(1), segments(10..11), "{recovery:?}");
        assert_eq!(duplicate(2), segments(11..12), "{recovery:?}");
        assert_eq!(script.window().0, 10, "cwnd does not change");
    }
}

#[test]
fn the_peers_window_still_limits_new_data() {
    let mut script = Script::new(plain(Recovery::NewReno));
    script.window = 10_000;
    script.ack(0);
    script.write(100_000);
    //= RFC 3042 section 2: "The receiver's advertised window allows the transmission of the
    // segment"
    assert!(script.ack(0).is_empty());
}
