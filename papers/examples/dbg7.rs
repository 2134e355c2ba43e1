use onramp_papers::*;
fn main() {
    let options = Options { seeds: 4, threads: 1, sim: Default::default(), progress: &|| {} };
    let bench = Bench::new(&options, Settings::default());
    let text = std::fs::read_to_string("papers/aron-druschel-1998/t1.toml").unwrap();
    let set: Vec<(&'static str, String)> = std::env::args()
        .skip(1)
        .map(|a| {
            let (k, v) = a.split_once('=').unwrap();
            (&*Box::leak(k.to_owned().into_boxed_str()), v.to_owned())
        })
        .collect();
    let s = Settings::of(set);
    bench
        .run(&text, &s, &Watch::with_windows(), |run| {
            println!(
                "carried {:.1} %",
                100.0 * (run.watch.carried_by(20.0) - run.watch.carried_by(15.0)) as f64 / 1.5e6 * 8.0 / 5.0
            );
            for f in &run.watch.flows {
                println!(
                    " flow from {} drops {:?}",
                    f.from,
                    f.drops_s.iter().filter(|t| **t > 14.0).map(|t| (t * 1e3).round() / 1e3).collect::<Vec<_>>()
                );
                println!(
                    "   timeouts {:?} recov {:?}",
                    f.timeouts,
                    f.recoveries_s.iter().filter(|t| **t > 12.0).map(|t| (t * 1e3).round() / 1e3).collect::<Vec<_>>()
                );
                let mut last = 0;
                for w in f.windows.iter().filter(|w| w.at_s > 14.9) {
                    if w.ssthresh_bytes != last {
                        print!(
                            "   {:.3} cwnd {} ssthresh {} unacked {};",
                            w.at_s,
                            w.cwnd_bytes / 1448,
                            w.ssthresh_bytes.min(1 << 30) / 1448,
                            w.unacked_bytes / 1448
                        );
                        last = w.ssthresh_bytes;
                    }
                }
                println!();
            }
        })
        .unwrap();
}
