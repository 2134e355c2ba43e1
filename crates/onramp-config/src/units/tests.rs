use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_formatted_quantity_parses_to_the_same_number(n in 1u64.., ppm in 0u32..=1_000_000) {
        prop_assert_eq!(parse_rate(&format_rate(n)).unwrap(), n);
        prop_assert_eq!(parse_time(&format_time(n)).unwrap(), n);
        prop_assert_eq!(parse_size(&format_size(n)).unwrap(), n);
        prop_assert_eq!(parse_percent(&format_percent(ppm)).unwrap(), ppm);
    }

    /// Random 64-bit numbers rarely have short wordings, but these numbers have.
    #[test]
    fn a_formatted_round_number_parses_to_the_same_number(
        n in 1u64..100_000,
        tens in 0u32..14,
        twos in 0u32..40,
    ) {
        for n in [n * 10u64.pow(tens), n << twos] {
            prop_assert_eq!(parse_rate(&format_rate(n)).unwrap(), n);
            prop_assert_eq!(parse_time(&format_time(n)).unwrap(), n);
            prop_assert_eq!(parse_size(&format_size(n)).unwrap(), n);
        }
    }

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(
        text in "\\PC{0,40}|[-+0-9.,eE_ ]{0,50}[a-zA-Z/%µ]{0,6}",
    ) {
        let _ = parse_rate(&text).map_err(|e| (e.to_string(), e.help()));
        let _ = parse_time(&text).map_err(|e| (e.to_string(), e.help()));
        let _ = parse_size(&text).map_err(|e| (e.to_string(), e.help()));
        let _ = parse_percent(&text).map_err(|e| (e.to_string(), e.help()));
    }

    #[test]
    fn decimals_are_exact(whole in 0u64..1_000_000, millionths in 0u64..1_000_000) {
        prop_assume!(whole + millionths > 0);
        let text = format!("{whole}.{millionths:06} Mbit/s");
        prop_assert_eq!(parse_rate(&text).unwrap(), whole * 1_000_000 + millionths);
    }
}

#[test]
fn zero_is_formatted_in_the_base_unit() {
    assert_eq!(format_time(0), "0 ns");
    assert_eq!(parse_time("0 s").unwrap(), 0);
    assert_eq!(format_percent(0), "0 %");
}

#[test]
fn formats_are_the_shortest_exact_wordings() {
    assert_eq!(format_rate(50_000_000), "50 Mbit/s");
    assert_eq!(format_rate(1_500_000), "1.5 Mbit/s");
    assert_eq!(format_size(1_000_000), "1 MB");
    assert_eq!(format_size(1_500_000), "1.5 MB");
    assert_eq!(format_size(64 << 20), "64 MiB");
    assert_eq!(format_size(1448), "1448 B");
    assert_eq!(format_time(600_000_000), "600 ms");
    assert_eq!(format_time(1_000_000_000), "1 s");
    assert_eq!(format_percent(5_000), "0.5 %");
    assert_eq!(format_bdp(400_000), "0.4 bdp");
    assert_eq!(format_count(1, "packets"), "1 packet");
}

#[test]
fn every_unit_is_read() {
    assert_eq!(parse_rate("1 bit/s").unwrap(), 1);
    assert_eq!(parse_rate("2 kbit/s").unwrap(), 2_000);
    assert_eq!(parse_rate("2 Mbit/s").unwrap(), 2_000_000);
    assert_eq!(parse_rate("2 Gbit/s").unwrap(), 2_000_000_000);
    assert_eq!(parse_rate("0.125 B/s").unwrap(), 1);
    assert_eq!(parse_rate("2 kB/s").unwrap(), 16_000);
    assert_eq!(parse_rate("6.25 MB/s").unwrap(), 50_000_000);
    assert_eq!(parse_rate("2 GB/s").unwrap(), 16_000_000_000);
    assert_eq!(parse_time("3 ns").unwrap(), 3);
    assert_eq!(parse_time("3 us").unwrap(), 3_000);
    assert_eq!(parse_time("3 µs").unwrap(), 3_000);
    assert_eq!(parse_time("3 ms").unwrap(), 3_000_000);
    assert_eq!(parse_time("3 s").unwrap(), 3_000_000_000);
    assert_eq!(parse_size("5 B").unwrap(), 5);
    assert_eq!(parse_size("5 kB").unwrap(), 5_000);
    assert_eq!(parse_size("5 MB").unwrap(), 5_000_000);
    assert_eq!(parse_size("5 GB").unwrap(), 5_000_000_000);
    assert_eq!(parse_size("5 KiB").unwrap(), 5 << 10);
    assert_eq!(parse_size("0.5 MiB").unwrap(), 1 << 19);
    assert_eq!(parse_size("5 GiB").unwrap(), 5 << 30);
    assert_eq!(parse_percent("100 %").unwrap(), 1_000_000);
}

#[test]
fn blanks_around_the_unit_are_optional() {
    assert_eq!(parse_rate("50Mbit/s").unwrap(), 50_000_000);
    assert_eq!(parse_rate("  50   Mbit/s ").unwrap(), 50_000_000);
    assert_eq!(parse_percent("1%").unwrap(), 10_000);
}

#[test]
fn a_fraction_as_fine_as_two_to_the_minus_30_is_read() {
    assert_eq!(
        parse_size("0.000000000931322574615478515625 GiB").unwrap(),
        1
    );
    assert_eq!(
        parse_size("1.0000000000000000000000000000000000000000000000 B").unwrap(),
        1
    );
    assert_eq!(
        parse_size("000000000000000000000000000000000000000000000001 B").unwrap(),
        1
    );
}

#[test]
fn the_largest_value_is_read_and_one_more_is_refused() {
    assert_eq!(parse_size("18446744073709551615 B").unwrap(), u64::MAX);
    assert!(matches!(
        parse_size("18446744073709551616 B"),
        Err(UnitError::TooLarge { .. })
    ));
    assert!(matches!(
        parse_size("18446744074 GB"),
        Err(UnitError::TooLarge { .. })
    ));
    assert!(matches!(
        parse_size(&format!("{} B", "9".repeat(1000))),
        Err(UnitError::TooLarge { .. })
    ));
    assert!(matches!(
        parse_percent("100.1 %"),
        Err(UnitError::TooLarge { .. })
    ));
}

#[test]
fn each_mistake_has_its_own_message() {
    let texts = [
        "",
        "  ",
        "-5 Mbit/s",
        "- 5 Mbit/s",
        "0 Mbit/s",
        "0.0 kbit/s",
        "50",
        "50 Mbps",
        "50 mbit/s",
        "50 MB",
        "50 parsec/s",
        "0.5 bit/s",
        "1.0000001 Mbit/s",
        "nan Mbit/s",
        "inf bit/s",
        "NaN",
        "1e6 bit/s",
        "1,5 Mbit/s",
        "1_000 kbit/s",
        "1 000 kbit/s",
        "+5 Mbit/s",
        ".5 Mbit/s",
        "5. Mbit/s",
        "1.2.3 Mbit/s",
        "0x10 bit/s",
        "Mbit/s",
        "99999999999 Gbit/s",
    ];
    let mut table = String::new();
    for text in texts {
        let error = parse_rate(text).expect_err(text);
        table += &format!("{text:?}\n  {error}\n");
        if let Some(help) = error.help() {
            table += &format!("  help: {help}\n");
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_similar_unit_is_suggested() {
    let suggested = |parsed: Result<u64, UnitError>| match parsed.unwrap_err() {
        UnitError::UnknownUnit { nearest, .. } => nearest,
        other => panic!("{other}"),
    };
    assert_eq!(suggested(parse_rate("5 Mbps")), Some("Mbit/s"));
    assert_eq!(suggested(parse_rate("5 mb/s")), Some("MB/s"));
    assert_eq!(suggested(parse_size("5 KB")), Some("kB"));
    assert_eq!(suggested(parse_size("5 bytes")), Some("B"));
    assert_eq!(suggested(parse_time("5 sec")), Some("s"));
    assert_eq!(suggested(parse_time("5 mss")), Some("ms"));
    assert_eq!(suggested(parse_time("5 fortnights")), None);
}
