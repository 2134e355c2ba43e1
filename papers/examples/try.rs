use onramp_papers::*;
fn main() {
    let mut papers = papers();
    let paper = &mut papers[0];
    let seeds = std::env::var("SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(5);
    let options = Options { seeds, threads: 2, sim: Default::default(), progress: &|| {} };
    paper.ledger.choices.clear();
    for arg in std::env::args().skip(1) {
        let mut set = toml::Table::new();
        for pair in arg.split(',') {
            let (k, v) = pair.split_once('=').unwrap();
            let v: toml::Value = match v {
                "true" => true.into(),
                "false" => false.into(),
                v => v.into(),
            };
            set.insert(k.to_owned(), v);
        }
        paper.ledger.choices.push(Choice {
            question: arg.clone(),
            decided: String::new(),
            reason: String::new(),
            alternatives: vec![Alternative { name: arg, set }],
        });
    }
    let r = reproduce(paper, false, true, &options).unwrap();
    for (place, rec) in r.records.iter().enumerate() {
        print!(
            "{:26}{:>7} {:6} {:>7}{}",
            rec.id,
            rec.expected.to_string(),
            rec.rule.to_string(),
            rec.measured.to_string(),
            if rec.reproduced { "+" } else { " " }
        );
        for i in &r.influences {
            let (_, records) = &i.alternatives[0];
            print!(" {:>8}{}", records[place].measured.to_string(), if records[place].reproduced { "+" } else { " " });
        }
        println!();
    }
}
