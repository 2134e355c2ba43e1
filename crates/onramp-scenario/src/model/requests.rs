//! What a receiver asks for on the connections of a transfer: several requests, each of which is
//! answered with a part of the payload.

use crate::random::Interval;

/// The requests of a transfer that has more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Requests {
    /// How many there are, at least 2. The answers share the payload evenly.
    pub count: u32,
    /// When the next one leaves.
    pub pace: Pace,
}

/// When a receiver sends its next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// This time after the last byte of the answer before on the same connection.
    Think(Interval),
    /// A video player: when its buffer has room for a segment.
    Play(PlayerKeys),
}

/// The keys of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayerKeys {
    /// Duration of the video in a segment.
    pub segment_ns: u64,
    /// Duration of the video that the buffer holds, at least two segments.
    pub buffer_ns: u64,
}

impl Requests {
    /// Payload of the first `answers` answers together, of a transfer of `size_bytes`.
    pub fn payload_bytes(&self, size_bytes: u64, answers: u32) -> u64 {
        (u128::from(size_bytes) * u128::from(answers) / u128::from(self.count.max(1))) as u64
    }
}

/// A video player: it starts with the first segment, stalls when its buffer is empty, and goes on
/// with the next segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    keys: PlayerKeys,
    /// When the buffer will be empty; `None`: nothing has arrived.
    empty_ns: Option<u64>,
    /// How often it has stalled.
    pub stalls: u32,
    /// How long in all.
    pub stalled_ns: u64,
}

impl Player {
    /// A player that has not started.
    pub fn new(keys: PlayerKeys) -> Player {
        Player {
            keys,
            empty_ns: None,
            stalls: 0,
            stalled_ns: 0,
        }
    }

    /// A segment has arrived. Returns when the buffer has room for the next one.
    pub fn segment_arrives(&mut self, now_ns: u64) -> u64 {
        let empty_ns = self.empty_ns.unwrap_or(now_ns);
        if now_ns > empty_ns {
            self.stalls += 1;
            self.stalled_ns += now_ns - empty_ns;
        }
        let empty_ns = empty_ns.max(now_ns).saturating_add(self.keys.segment_ns);
        self.empty_ns = Some(empty_ns);
        let has_room_ns = empty_ns.saturating_add(self.keys.segment_ns);
        has_room_ns.saturating_sub(self.keys.buffer_ns).max(now_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: PlayerKeys = PlayerKeys {
        segment_ns: 4,
        buffer_ns: 10,
    };

    #[test]
    fn a_player_fills_its_buffer_and_then_asks_as_it_plays() {
        let mut player = Player::new(KEYS);
        // Segments that arrive at once: two fit beside each other, the third waits for room.
        assert_eq!(player.segment_arrives(100), 100);
        assert_eq!(player.segment_arrives(100), 102);
        assert_eq!(player.segment_arrives(103), 106);
        assert_eq!((player.stalls, player.stalled_ns), (0, 0));
    }

    #[test]
    fn a_late_segment_stalls_the_player_until_it_arrives() {
        let mut player = Player::new(KEYS);
        player.segment_arrives(100);
        // The first segment ends at 104.
        player.segment_arrives(104);
        assert_eq!(player.stalls, 0);
        assert_eq!(player.segment_arrives(111), 111);
        assert_eq!((player.stalls, player.stalled_ns), (1, 3));
        player.segment_arrives(115);
        assert_eq!((player.stalls, player.stalled_ns), (1, 3));
    }

    #[test]
    fn answers_share_the_payload_to_the_last_byte() {
        let requests = Requests {
            count: 3,
            pace: Pace::Think(Interval::Fixed(0)),
        };
        let ends = [0, 1, 2, 3].map(|answers| requests.payload_bytes(100, answers));
        assert_eq!(ends, [0, 33, 66, 100]);
        assert_eq!(requests.payload_bytes(u64::MAX, 3), u64::MAX);
    }
}
