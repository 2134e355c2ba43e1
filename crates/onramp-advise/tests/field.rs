//! Recordings of real paths (FIELD_DATA). They are not part of the repository: without them the
//! tests say so and pass.

use onramp_advise::{read, ImportError};
use std::path::PathBuf;

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

#[test]
fn captures_have_the_numbers() {
    for name in [
        "ndt-4c6fb_1625899199_000000000121C1A0",
        "ndt-nnwk2_1611335823_00000000000C2DA9",
        "ndt-nnwk2_1611335823_00000000000C2DFE",
    ] {
        let Some(file) = field(&format!("{name}.pcap.gz")) else {
            return;
        };
        eprintln!("{:#?}", read(&file).unwrap());
    }
}
