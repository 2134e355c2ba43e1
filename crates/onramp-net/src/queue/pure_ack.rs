//! Pure ACKs, and which of them a later ACK supersedes.

/// A TCP segment that only acknowledges. It has no payload. Its only control bits are ACK and those
/// of ECN, and its only options are timestamps and SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PureAck {
    ack: u32,
    ecn: u8,
    timestamps: Option<(u32, u32)>,
    blocks: [(u32, u32); 4],
    block_count: u8,
}

impl PureAck {
    /// An ACK of everything before `ack`, with its ECN control bits, its timestamps (TSval, TSecr)
    /// and its SACK blocks. At most four blocks are kept.
    pub fn new(ack: u32, ecn: u8, timestamps: Option<(u32, u32)>, sack: &[(u32, u32)]) -> PureAck {
        let mut blocks = [(0, 0); 4];
        let block_count = sack.len().min(blocks.len());
        blocks[..block_count].copy_from_slice(&sack[..block_count]);
        PureAck {
            ack,
            ecn,
            timestamps,
            blocks,
            block_count: block_count as u8,
        }
    }

    fn sack(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.block_count)]
    }

    /// Whether a sender that receives this ACK loses no information if it does not receive the
    /// `older` ACK of the same flow. It would lose information if the older ACK is a duplicate ACK,
    /// since the number of duplicates signals losses; if its ECN bits differ; if it carries a
    /// duplicate SACK (RFC 2883); or if it has a SACK block that no block of this ACK covers.
    pub fn supersedes(&self, older: &PureAck) -> bool {
        let timestamps_are_older = match (older.timestamps, self.timestamps) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(older), Some(own)) => !is_after(older.0, own.0) && !is_after(older.1, own.1),
        };
        if older.ecn != self.ecn || is_after(older.ack, self.ack) || !timestamps_are_older {
            return false;
        }
        let covers = |(left, right)| {
            self.sack()
                .iter()
                .any(|own| !is_after(own.0, left) && !is_after(right, own.1))
        };
        let is_covered = |block: &(u32, u32)| !is_after(older.ack, block.0) && covers(*block);
        older.sack().iter().all(is_covered)
            && (older.ack != self.ack || sacked_bytes(self.sack()) > sacked_bytes(older.sack()))
    }
}

/// Whether one sequence number or timestamp is after another (RFC 9293, section 3.4).
fn is_after(one: u32, other: u32) -> bool {
    (other.wrapping_sub(one) as i32) < 0
}

fn sacked_bytes(blocks: &[(u32, u32)]) -> u64 {
    blocks
        .iter()
        .map(|(left, right)| u64::from(right.wrapping_sub(*left)))
        .sum()
}
