//! `queue`: the room of the queue before the serialiser.

use super::discipline::{DISCIPLINE, FQ_CODEL};
use super::limits::{FORWARD, QUEUES};
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::{Queue, QueueLimit};
use onramp_config::key::{keys, AnyKey, Fallback};
use onramp_net::{Config, QueueConfig};

/// The queue of a table that gives none.
const USUAL_QUEUE: QueueLimit = QueueLimit::BdpPpm(1_000_000);
/// The queue of a table that has `fq-codel` and gives no queue: RFC 8290, section 5.2.3.
const FQ_CODEL_QUEUE: QueueLimit = QueueLimit::Packets(10_240);

keys! { KEYS:
    QUEUE: Queue = "queue", Fallback::Other("`1 bdp`; `10240 packets` with `fq-codel`"),
        ranges &QUEUES, list FORWARD,
        "Room of the queue before the serialiser. The reverse direction has the forward queue \
         unless it has its own, or `fq-codel`.";
}

pub(crate) struct QueueRoom;

impl Parameter for QueueRoom {
    type Value = QueueLimit;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<QueueLimit> {
        let own = if source.section.has(&QUEUE) {
            source.list(&QUEUE)
        } else if source.section.text(&DISCIPLINE) == Some(FQ_CODEL) {
            vec![FQ_CODEL_QUEUE]
        } else if source.follows.is_some() {
            Vec::new()
        } else {
            vec![USUAL_QUEUE]
        };
        source.queues = match source.follows {
            Some(forward) if own.is_empty() => forward.queues.to_vec(),
            _ => own.clone(),
        };
        own
    }

    fn configure(queue: &QueueLimit, context: &LinkContext, config: &mut Config) {
        config.queue = QueueConfig::DropTail(context.limit(*queue));
    }
}
