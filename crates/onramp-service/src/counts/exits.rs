//! Why start-ups ended, in words.

/// The reason of an exit, by its name (`onramp_core::exit_name`), as a part of a sentence.
pub fn exit_in_words(name: &str) -> &'static str {
    match name {
        "none" => "the connection ended first",
        "ssthresh" => "cwnd reached the ssthresh of the host or a route",
        "estimate" => "cwnd reached the measured BDP",
        "loss" => "a segment was lost",
        "timeout" => "the retransmission timer expired",
        "application" => "the application sends too little",
        "receiver" => "the receiver's window is the limit",
        "unreserved" => "no rate is reserved",
        "broken" => "the reserved rate does not hold",
        "delay" => "the delay rose and stayed: the pipe is full",
        "governed" => "held back: earlier start-ups retransmitted too much",
        "delivery" => "the delivery rate grows no more: the pipe is full",
        "path" => "the path is too short to gain anything",
        _ => "of another version",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_has_words_of_its_own() {
        let names = (0..).map(onramp_core::exit_name);
        let names: Vec<_> = names.take_while(|name| *name != "unknown").collect();
        let words: std::collections::BTreeSet<_> =
            names.iter().map(|name| exit_in_words(name)).collect();
        assert_eq!(words.len(), names.len(), "{words:?}");
        assert!(!words.contains(exit_in_words("unknown")));
    }
}
