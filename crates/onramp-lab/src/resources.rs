//! Whether this process has room for all flows of a run.

use crate::host::WMEM_MAX_BYTES;
use crate::supports::rival;
use crate::work::BUFFER_BYTES;
use crate::Error;
use nix::libc;
use onramp_scenario::{Buffer, Case, ENDLESS};

/// Descriptors of a flow: the sender's listening socket and its connection, and the receiver's.
const DESCRIPTORS: u64 = 3;
/// Descriptors for everything else: namespaces, devices, the congestion controls' maps, the report.
const OTHER_DESCRIPTORS: u64 = 100;
/// What two threads take of their stacks, and the kernel for them and for the sockets.
const THREADS_BYTES: u64 = 256 << 10;

/// Refuses a case whose flows do not all fit, as far as it is certain how many there are: not of
/// those that arrive one by one. How many more there is room for.
pub fn check(case: &Case) -> Result<u64, Error> {
    let memory = memory_bytes().map_or(u64::MAX, |bytes| bytes / 2);
    fits(case, descriptors().unwrap_or(u64::MAX), memory)
}

fn fits(case: &Case, descriptors: u64, memory_bytes: u64) -> Result<u64, Error> {
    let copies = case.transfer.count;
    let traffic = || {
        case.traffic
            .iter()
            .filter_map(|traffic| rival(traffic).ok())
    };
    let at_once = traffic().filter(|transfers| transfers.arrivals.is_none());
    let rivals = at_once
        .filter_map(|transfers| transfers.count)
        .fold(0, u32::saturating_add);
    let flows = u64::from(copies) + u64::from(rivals);
    let check = |what, each: u64, other, available, mend| {
        let needed = each.saturating_mul(flows).saturating_add(other);
        match needed > available && flows > 1 {
            true => Err(Error::Flows {
                copies,
                rivals,
                what,
                needed,
                available,
                mend,
            }),
            false => Ok(available.saturating_sub(needed) / each),
        }
    };
    let mend = "ask for fewer, or allow more files with `ulimit -n`";
    let by_descriptors = check(
        "file descriptors",
        DESCRIPTORS,
        OTHER_DESCRIPTORS,
        descriptors,
        mend,
    )?;
    // The sender's kernel holds what is not acknowledged, and the receiver's what comes after a
    // gap: with buffers that grow with the window, a few times what fills the path.
    let sent = match case.sender.buffer {
        Buffer::LinuxDefault => WMEM_MAX_BYTES,
        Buffer::Bytes(bytes) => bytes,
    };
    let filled = case
        .path
        .bdp_bytes()
        .saturating_mul(4)
        .saturating_add(WMEM_MAX_BYTES);
    let sizes = traffic().map(|transfers| transfers.sizes.iter().copied().max().unwrap_or(ENDLESS));
    let most_bytes = sizes.fold(case.transfer.size_bytes, u64::max);
    let kept = most_bytes.min(sent).min(filled);
    let each = kept.saturating_mul(2) + BUFFER_BYTES as u64 + THREADS_BYTES;
    let mend = "ask for fewer, or give the scenario's sender a smaller `buffer`";
    Ok(by_descriptors.min(check("bytes of memory", each, 0, memory_bytes, mend)?))
}

/// Descriptors that this process may have.
fn descriptors() -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the kernel writes into a struct that outlives the call.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    (result == 0).then_some(limit.rlim_cur)
}

/// Memory that can be used without others suffering.
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
            "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n[[transfer]]\nsize = \"10 MB\"\ncount = {copies}\n"
        );
        onramp_scenario::parse("x", &text).unwrap().cases.remove(0)
    }

    fn refusal(copies: u32, descriptors: u64, memory_bytes: u64) -> Option<String> {
        fits(&case(copies), descriptors, memory_bytes)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn copies_without_room_are_refused_by_their_key() {
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
    fn traffic_needs_room_too() {
        let mut case = case(300);
        let text = "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n[[transfer]]\nsize = \"1 B\"\n[[traffic]]\ncount = 100\n";
        case.traffic = onramp_scenario::parse("x", text)
            .unwrap()
            .cases
            .remove(0)
            .traffic;
        let refusal = fits(&case, 1024, 8 << 30).unwrap_err().to_string();
        let asked = "`transfer.count` and `traffic.count` ask for 400 flows, which need 1300 file descriptors";
        assert!(refusal.starts_with(asked), "{refusal}");
    }

    #[test]
    fn there_is_room_for_transfers_that_arrive_one_by_one_beside_those_that_are_certain() {
        let mut case = case(10);
        let text = "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n[[transfer]]\nsize = \"1 B\"\n\
                    [[traffic]]\nsize = \"1 kB\"\ncount = 10\n[[traffic]]\nsize = \"1 kB\"\narrivals = \"9 /s\"\n";
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
            "what flows hold is no more than they carry"
        );
    }

    #[test]
    fn what_this_process_may_use_is_known() {
        assert!(descriptors().unwrap() > 16);
        assert!(memory_bytes().unwrap() > 1 << 20);
    }
}
