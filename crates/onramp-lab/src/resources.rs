//! Whether this process has enough descriptors and memory for all flows of a run.

use crate::error::Error;
use crate::host::WMEM_MAX_BYTES;
use crate::work::BUFFER_BYTES;
use nix::sys::resource::{getrlimit, Resource};
use onramp_scenario::{Buffer, Case, Traffic, ENDLESS};

/// Descriptors of a flow: the sender's listening socket, the sender's connection, and the
/// receiver's.
const DESCRIPTORS: u64 = 3;
/// Descriptors for everything else: namespaces, devices, maps of congestion controls, the report.
const OTHER_DESCRIPTORS: u64 = 100;
/// Memory of two threads: the used part of their stacks, and the kernel's memory for them and for
/// the sockets.
const THREADS_BYTES: u64 = 256 << 10;

/// Refuses a case whose flows do not fit. Flows that arrive one by one do not count, because their
/// number is not known. Returns the number of further flows for which there is room.
///
/// # Errors
/// The flows need more descriptors or memory than there are.
pub fn check(case: &Case) -> Result<u64, Error> {
    let memory = memory_bytes().map_or(u64::MAX, |bytes| bytes / 2);
    fits(case, descriptors().unwrap_or(u64::MAX), memory)
}

fn fits(case: &Case, descriptors: u64, memory_bytes: u64) -> Result<u64, Error> {
    let copies = case.transfer.count;
    let connections = u64::from(copies).saturating_mul(case.transfer.hops(0).count() as u64);
    let traffic = || case.traffic.iter().filter_map(Traffic::transfers);
    let at_once = traffic().filter(|transfers| transfers.arrivals.is_none());
    let competing = at_once
        .filter_map(|transfers| transfers.count)
        .fold(0, u32::saturating_add);
    let flows = connections.saturating_add(u64::from(competing));
    let check = |what, each: u64, other, available, advice| {
        let needed = each.saturating_mul(flows).saturating_add(other);
        match needed > available && flows > 1 {
            true => Err(Error::Flows {
                copies,
                competing,
                what,
                needed,
                available,
                advice,
            }),
            false => Ok(available.saturating_sub(needed) / each),
        }
    };
    let advice = "ask for fewer, or allow more files with `ulimit -n`";
    let by_descriptors = check(
        "file descriptors",
        DESCRIPTORS,
        OTHER_DESCRIPTORS,
        descriptors,
        advice,
    )?;
    // The sender's kernel holds unacknowledged data, and the receiver's kernel holds data beyond a
    // gap. On each side this is estimated as 4 BDP plus the default send buffer. It is at most the
    // transfer's size and the sender's buffer.
    let send_buffer_bytes = match case.sender.buffer {
        Buffer::LinuxDefault => WMEM_MAX_BYTES,
        Buffer::Bytes(bytes) => bytes,
    };
    let pipe_bytes = case
        .path
        .bdp_bytes()
        .saturating_mul(4)
        .saturating_add(WMEM_MAX_BYTES);
    let sizes = traffic().map(|transfers| transfers.sizes.max_bytes().unwrap_or(ENDLESS));
    let drawn = case.transfer.sizes;
    let size_bytes = drawn.map_or(case.transfer.size_bytes, |sizes| sizes.quantile_bytes(1.0));
    let max_size_bytes = sizes.fold(size_bytes, u64::max);
    let held_bytes = max_size_bytes.min(send_buffer_bytes).min(pipe_bytes);
    let each = held_bytes.saturating_mul(2) + BUFFER_BYTES as u64 + THREADS_BYTES;
    let advice = "ask for fewer, or give the scenario's sender a smaller `buffer`";
    Ok(by_descriptors.min(check("bytes of memory", each, 0, memory_bytes, advice)?))
}

/// Maximum number of descriptors of this process.
fn descriptors() -> Option<u64> {
    getrlimit(Resource::RLIMIT_NOFILE)
        .ok()
        .map(|(soft, _)| soft)
}

/// Memory that is available without swapping.
fn memory_bytes() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kib = info
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?
        .trim()
        .strip_suffix(" kB")?;
    Some(kib.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(copies: u32) -> Case {
        let text = format!(
            "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n[[transfer]]\nsize = \
             \"10 MB\"\ncount = {copies}\n"
        );
        onramp_scenario::parse("x", &text).unwrap().cases.remove(0)
    }

    fn refusal(copies: u32, descriptors: u64, memory_bytes: u64) -> Option<String> {
        fits(&case(copies), descriptors, memory_bytes)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn too_many_copies_are_refused_with_their_key() {
        assert_eq!(refusal(300, 1024, 4 << 30), None);
        let files = refusal(400, 1024, 8 << 30).unwrap();
        assert!(
            files.starts_with(
                "`transfer.count` asks for 400 copies, which need 1300 file descriptors"
            ),
            "{files}"
        );
        let memory = refusal(300, 1024, 1 << 30).unwrap();
        assert!(
            memory.starts_with("`transfer.count`") && memory.contains("bytes of memory"),
            "{memory}"
        );
        assert_eq!(refusal(1, 10, 10), None);
    }

    #[test]
    fn traffic_counts_against_the_limits_too() {
        let mut case = case(300);
        let text = "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 \
            ms\"\n[[transfer]]\nsize = \"1 B\"\n[[traffic]]\ncount = 100\n";
        case.traffic = onramp_scenario::parse("x", text)
            .unwrap()
            .cases
            .remove(0)
            .traffic;
        let refusal = fits(&case, 1024, 8 << 30).unwrap_err().to_string();
        let asked = "`transfer.count` and `traffic.count` ask for 400 flows, which need 1300 file \
            descriptors";
        assert!(refusal.starts_with(asked), "{refusal}");
    }

    #[test]
    fn room_for_later_arrivals_is_what_flows_at_the_start_leave() {
        let mut case = case(10);
        let text = "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 \
            ms\"\n[[transfer]]\nsize = \"1 B\"\n\
                    [[traffic]]\nsize = \"1 kB\"\ncount = 10\n[[traffic]]\nsize = \"1 \
                        kB\"\narrivals = \"9 /s\"\n";
        case.traffic = onramp_scenario::parse("x", text)
            .unwrap()
            .cases
            .remove(0)
            .traffic;
        assert_eq!(
            fits(&case, OTHER_DESCRIPTORS + 3 * 50, 8 << 30).unwrap(),
            30
        );
        let by_memory = fits(&case, 1 << 20, 1 << 30).unwrap();
        case.transfer.size_bytes = 1;
        assert!(
            by_memory < fits(&case, 1 << 20, 1 << 30).unwrap(),
            "a flow holds no more than its size"
        );
    }

    #[test]
    fn the_limits_of_this_process_can_be_read() {
        assert!(descriptors().unwrap() > 16);
        assert!(memory_bytes().unwrap() > 1 << 20);
    }
}
