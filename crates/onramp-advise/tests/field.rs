//! Recordings of real paths (FIELD_DATA). They are not part of the repository: without them the
//! tests say so and pass.

use onramp_advise::{judge, read, ImportError, Judged, Limit, Options, Part};
use onramp_kernel::Observation;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of M-Lab.
fn field(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("FIELD_DATA").map(PathBuf::from);
    let file = folder.map(|folder| folder.join("m-lab").join(name));
    let file = file.filter(|file| file.exists());
    if file.is_none() {
        eprintln!("skipped: FIELD_DATA has no m-lab/{name}");
    }
    file
}

#[test]
fn a_download_of_ndt7_is_a_connection() {
    let name = "ndt7-download-20221130T230746.606388371Z.\
                ndt-rczlq_1666977535_unsafe_000000000016912D.json";
    let Some(file) = field(name) else { return };
    let all = read(&file).unwrap();
    let [seen] = all.connections.as_slice() else {
        panic!("a test is one connection: {all:?}")
    };
    assert_eq!(seen.destination, "2a01:cb08:1a7::/48");
    assert_eq!(seen.congestion_control, "bbr");
    // MinRTT, BytesAcked, ElapsedTime and TotalRetrans of the last snapshot
    assert_eq!(seen.min_rtt_s, Some(0.002_959));
    assert_eq!(seen.transfers[0].bytes, 95_049_504);
    assert_eq!(seen.transfers[0].time_s, 9.919_546);
    assert_eq!(seen.retransmitted_segments, 1455);
}

#[test]
fn an_upload_has_nothing_to_judge() {
    let name = "ndt7-upload-20200318T001352.496224022Z.ndt-knwp4_1583603744_0000000000005CF2.json";
    let Some(file) = field(name) else { return };
    assert!(matches!(read(&file), Err(ImportError::NothingSent)));
}

#[test]
fn another_file_is_refused_with_its_beginning() {
    let refused = read("Cargo.toml".as_ref()).unwrap_err().to_string();
    assert!(refused.contains("expected observations"), "{refused}");
    assert!(refused.contains("[package]"), "{refused}");
}

/// The only connection of a capture, as the end saw it at which it was taken.
fn captured(name: &str) -> Option<Observation> {
    let all = read(&field(name)?).unwrap();
    assert_eq!(all.connections.len(), 1, "{all:?}");
    all.connections.into_iter().next()
}

/// The numbers are those of tshark: `tcp.len`, `tcp.analysis.ack_rtt`, `initial_rtt`,
/// `window_full`.
#[test]
fn a_download_that_its_path_limits() {
    let Some(seen) = captured("ndt-4c6fb_1625899199_000000000121C1A0.pcap.gz") else {
        return;
    };
    let bytes: u64 = seen.transfers.iter().map(|transfer| transfer.bytes).sum();
    let resent = u64::from(seen.retransmitted_segments) * u64::from(seen.mss_bytes);
    assert_eq!(bytes + resent, 22_167_494);
    assert!(
        (seen.min_rtt_s.unwrap() - 0.042_929).abs() < 1e-6,
        "{seen:?}"
    );
    assert!(
        (seen.handshake_rtt_s.unwrap() - 0.043_082).abs() < 1e-4,
        "{seen:?}"
    );
    assert_eq!((seen.accepted, seen.receiver_limited), (true, 0.0));
}

#[test]
fn a_download_that_its_receiver_limits_behind_a_proxy() {
    let Some(seen) = captured("ndt-nnwk2_1611335823_00000000000C2DA9.pcap.gz") else {
        return;
    };
    // The window is full 641 times, nothing is retransmitted, and the RTT rises to 48 ms.
    assert!(seen.receiver_limited > 0.5, "{seen:?}");
    assert_eq!(seen.retransmitted_segments, 0);
    assert!(
        (seen.min_rtt_s.unwrap() - 0.001_099).abs() < 1e-6,
        "{seen:?}"
    );
    assert!(
        (seen.max_rtt_s.unwrap() - 0.047_956).abs() < 1e-6,
        "{seen:?}"
    );
}

#[test]
fn a_server_that_received_an_upload_sent_little() {
    let Some(seen) = captured("ndt-nnwk2_1611335823_00000000000C2DFE.pcap.gz") else {
        return;
    };
    assert_eq!((seen.accepted, seen.port), (true, 443));
    assert!(
        (seen.handshake_rtt_s.unwrap() - 0.013_87).abs() < 1e-4,
        "{seen:?}"
    );
    assert!(seen.retransmitted_segments >= 12, "{seen:?}");
}

/// The archive of tcp-info, unpacked as a person would do it. The numbers are those of a script
/// that decodes the last record of each file.
#[test]
fn an_archive_of_tcp_info_has_a_connection_in_each_file() {
    let Some(archive) = field("20190516T013026.744845Z-tcpinfo-mlab4-arn02-ndt.tgz") else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tcp-info");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let run = |program: &str, arguments: &[&OsStr]| {
        let mut command = Command::new(program);
        let ran = command.args(arguments).current_dir(&folder).status();
        ran.is_ok_and(|status| status.success())
    };
    assert!(run("tar", &["-xzf".as_ref(), archive.as_os_str()]));
    let file = |id: &str| {
        let name = format!("2019/05/16/ndt-q5zbq_1555433454_000000000000{id}.00000.jsonl");
        folder.join(name)
    };
    for (id, sent, retransmitted, min_rtt_s) in [
        ("2BA2", 610, 0, 0.027_657),
        ("2CD1", 150, 48, 0.143_740),
        ("2BAA", 160, 58, 0.142_000),
    ] {
        let packed = file(id).with_extension("jsonl.zst");
        let refused = read(&packed).unwrap_err().to_string();
        assert!(refused.contains("`zstd --decompress FILE`"), "{refused}");
        if !run("zstd", &["-dqf".as_ref(), packed.as_os_str()]) {
            eprintln!("skipped: zstd is not installed");
            break;
        }
        let all = read(&file(id)).unwrap();
        let [seen] = all.connections.as_slice() else {
            panic!("one connection: {all:?}")
        };
        let segments = (seen.sent_segments, seen.retransmitted_segments);
        assert_eq!(segments, (sent, retransmitted), "{seen:?}");
        assert_eq!(seen.min_rtt_s, Some(min_rtt_s));
        assert_eq!(seen.congestion_control, "cubic");
        // All of them end with payload in flight.
        assert!(!seen.complete, "{seen:?}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// How the later transfers of a capture are limited: ndt7 measures in them, after the handshake of
/// TLS.
fn limit_of(name: &str) -> Option<(Limit, Judged)> {
    let mut all = read(&field(name)?).unwrap();
    for seen in &mut all.connections {
        seen.congestion_control = "bbr".to_owned();
    }
    let advice = judge(&all, &Options::default()).unwrap();
    let mut classes = advice.classes.into_iter();
    let one = classes.find(|one| one.class.part == Part::Later)?;
    Some((one.limit, one))
}

#[test]
fn the_limit_of_each_capture_is_that_of_tshark() {
    let captures = [
        // tshark: the window is never full, ACKs of 100 ms carry up to 48.5 Mbit/s, the mean is
        // 16.9 Mbit/s, and the median RTT is twice the minimum.
        (
            "ndt-4c6fb_1625899199_000000000121C1A0.pcap.gz",
            Limit::VaryingRate,
        ),
        // tshark: the window is full 641 times, nothing is retransmitted.
        (
            "ndt-nnwk2_1611335823_00000000000C2DA9.pcap.gz",
            Limit::Receiver,
        ),
        // tshark: 12 of 76 segments with data are retransmitted.
        ("ndt-nnwk2_1611335823_00000000000C2DFE.pcap.gz", Limit::Loss),
    ];
    for (name, limit) in captures {
        let Some((found, one)) = limit_of(name) else {
            continue;
        };
        eprintln!("{name}: {:?} {:?}", one.class.path, one.class.connections);
        assert_eq!(found, limit, "{name}: {:?}", one.class.path);
    }
}
