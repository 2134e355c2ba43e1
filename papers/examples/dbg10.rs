use onramp_papers::*;
fn main() {
    let options = Options { seeds: 2, threads: 1, sim: Default::default(), progress: &|| {} };
    let bench = Bench::new(&options, Settings::default());
    let file = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let set: Vec<(&'static str, String)> = std::env::args()
        .skip(2)
        .map(|a| {
            let (k, v) = a.split_once('=').unwrap();
            (&*Box::leak(k.to_owned().into_boxed_str()), v.to_owned())
        })
        .collect();
    let s = Settings::of([
        ("transfer.initial_window", "paper"),
        ("transfer.recovery", "reno"),
        ("transfer.startup", "paced"),
        ("transfer.timers", "decoupled"),
        ("transfer.clock", "1 ms"),
    ])
    .and(&Settings::of(set));
    bench
        .run(&text, &s, &Watch::with_windows(), |run| {
            for f in run.watch.flows.iter().take(3) {
                let mss = if run.case.network.links[0].mtu_bytes < 1000 { 460 } else { 1448 };
                println!(" acks {:?}", f.acks_s.iter().take(40).map(|t| (t * 1e4).round() / 10.0).collect::<Vec<_>>());
                println!(
                    " sent {:?}",
                    f.sent.iter().take(60).map(|(t, b)| ((t * 1e4).round() / 10.0, b / mss)).collect::<Vec<_>>()
                );
                let mut last = 0;
                for w in f.windows.iter().take(4000) {
                    if w.ssthresh_bytes != last {
                        print!(
                            "   {:.4} cwnd {} ssthresh {} unacked {};",
                            w.at_s,
                            w.cwnd_bytes / mss,
                            w.ssthresh_bytes.min(1 << 30) / mss,
                            w.unacked_bytes / mss
                        );
                        last = w.ssthresh_bytes;
                    }
                }
                println!();
            }
        })
        .unwrap();
}
