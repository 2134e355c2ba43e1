//! Rounds, in which every congestion control has its turn. The turns of a round are compared with
//! each other: what disturbs the machine for longer than a round disturbs them alike.

use std::io;
use std::time::Duration;

/// How long to leave the CPUs to the other processes after a disturbed round.
const PAUSE: Duration = Duration::from_millis(500);
/// Disturbed rounds after which the benchmark gives up, for each round that was requested.
const MAX_DISTURBED: usize = 2;
/// The minimum of rounds for a median.
const MIN_ROUNDS: usize = 5;

/// The turns of every congestion control, by round.
pub struct Rounds<T> {
    /// In the order of the congestion controls.
    pub turns: Vec<Vec<T>>,
    /// Rounds that other processes disturbed. Their turns are left out.
    pub disturbed: usize,
}

impl<T: Clone> Rounds<T> {
    /// Plays this many rounds. `turn` is given the number of the congestion control, and returns
    /// what it measured and whether other processes disturbed it.
    pub fn play(
        controls: usize,
        rounds: usize,
        mut turn: impl FnMut(usize) -> io::Result<(T, bool)>,
    ) -> io::Result<Rounds<T>> {
        turn(0)?; // The first one warms caches and clocks.
        let mut played = Rounds {
            turns: vec![Vec::with_capacity(rounds); controls],
            disturbed: 0,
        };
        while played.len() < rounds && played.disturbed < MAX_DISTURBED * rounds {
            let mut round = vec![None; controls];
            for control in order(controls, played.len()) {
                let (measured, disturbed) = turn(control)?;
                if disturbed {
                    break;
                }
                round[control] = Some(measured);
            }
            if let Some(round) = round.into_iter().collect::<Option<Vec<T>>>() {
                let turns = played.turns.iter_mut().zip(round);
                turns.for_each(|(all, measured)| all.push(measured));
            } else {
                played.disturbed += 1;
                std::thread::sleep(PAUSE);
            }
        }
        Ok(played)
    }

    /// Rounds that were not disturbed.
    pub fn len(&self) -> usize {
        self.turns[0].len()
    }

    /// Compares the turns of every congestion control with those of the first one. `compare` is
    /// given the name, its turns, and the turns of the first.
    pub fn compared<R>(&self, names: &[&str], compare: impl Fn(&str, &[T], &[T]) -> R) -> Vec<R> {
        let others = names.iter().zip(&self.turns).skip(1);
        others
            .map(|(name, own)| compare(name, own, &self.turns[0]))
            .collect()
    }

    /// Too few rounds for figures; says so on standard error.
    pub fn are_too_few(&self, requested: usize, what: &str) -> bool {
        let too_few = self.len() < requested.min(MIN_ROUNDS);
        if too_few {
            eprintln!(
                "loopback: {what}: no figures: other processes disturbed {} rounds, and only {} \
                 are left",
                self.disturbed,
                self.len()
            );
        }
        too_few
    }
}

/// The order of the congestion controls in a round. Each round starts with the next one; when each
/// has been first, the order is reversed. So each has every place equally often.
fn order(count: usize, round: usize) -> impl Iterator<Item = usize> {
    let backwards = round / count % 2 == 1;
    (0..count).map(move |place| (if backwards { count - 1 - place } else { place } + round) % count)
}
