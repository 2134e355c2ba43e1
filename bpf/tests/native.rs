//! What the host decides, tested without a kernel and without root: `native/` has the programs,
//! compiled for this machine with an algorithm whose decisions the test writes. The tests are C,
//! because they look at what the programs look at: sockets, maps and clocks. What only a kernel
//! shows is tested in `crates/onramp-kernel/tests`.
#![cfg(native_tests)]

use std::ffi::{c_char, CStr};

extern "C" {
    fn native_failure() -> *const c_char;
}

/// Runs a test of `native/`. It fails with the first line that does not hold.
fn run(test: unsafe extern "C" fn()) {
    // SAFETY: tests have no arguments, and each thread has a kernel of its own.
    unsafe { test() };
    // SAFETY: the text belongs to this thread and ends with 0.
    let failure = unsafe { CStr::from_ptr(native_failure()) };
    assert!(failure.is_empty(), "{}", failure.to_string_lossy());
}

/// The tests of the files of `native/`.
macro_rules! native_tests {
    ($($file:ident: $($name:ident)*;)*) => {
        $(
            mod $file {
                mod c {
                    extern "C" {
                        $(pub fn $name();)*
                    }
                }
                $(
                    #[test]
                    fn $name() {
                        super::run(c::$name);
                    }
                )*
            }
        )*

        #[test]
        fn every_test_of_the_folder_is_listed() {
            $(
                let source = include_str!(concat!("native/", stringify!($file), ".c"));
                let tests = source.lines().filter_map(|line| line.strip_prefix("TEST("));
                let names: Vec<&str> = tests.map(|line| line.trim_end_matches(')')).collect();
                assert_eq!(names, [$(stringify!($name)),*]);
            )*
        }
    };
}

native_tests! {
    ensembles:
        connections_to_other_addresses_are_not_counted
        connections_that_send_nothing_are_not_counted_for_long
        a_connection_counts_until_its_start_up_or_itself_ends;
    first_round:
        a_connection_teaches_the_next_ones_once
        a_prefix_has_its_own_rate
        a_rate_of_the_user_stays;
    governor:
        a_destination_that_loses_too_much_begins_with_slow_start_until_it_is_good
        a_governed_connection_never_calls_the_algorithm
        other_destinations_start_as_before
        a_path_without_losses_never_makes_the_governor_hold
        the_host_is_governed_when_all_destinations_lose
        small_start_ups_do_not_count
        a_destination_of_ipv6_has_64_bits
        without_a_bound_there_is_no_governor;
    hand_over:
        a_connection_is_handed_over_when_all_of_its_start_up_is_acknowledged
        reno_takes_over_where_it_follows
        a_connection_is_not_handed_over_before_a_repair_is_settled
        a_hand_over_that_the_kernel_refuses_is_tried_again_a_round_trip_later
        bbr_keeps_its_connections
        a_connection_that_holds_a_path_or_has_a_reservation_or_pairs_stays
        a_socket_that_was_handed_over_can_choose_the_start_up_again
        an_algorithm_that_returns_is_not_handed_over
        an_idle_time_leaves_what_the_algorithm_keeps_paced
        a_window_after_a_pause_of_any_length_leaves_paced
        a_bulk_transfer_is_handed_over_though_its_start_up_may_return
        a_connection_for_small_messages_goes_on_with_the_kernels_own_control
        larger_messages_in_between_keep_the_start_up
        a_connection_that_cwnd_does_not_limit_ends_and_its_end_is_reported;
    matching:
        a_local_port_chooses_connections
        a_version_of_ip_chooses_connections
        the_longest_prefix_of_the_destination_decides
        an_ipv4_address_on_a_socket_of_ipv6_is_ipv4
        all_that_a_policy_names_must_match
        the_first_policy_that_matches_wins
        a_program_or_a_locked_route_that_chooses_a_control_keeps_it
        a_random_number_decides_about_the_group
        a_start_up_that_the_kernel_refuses_is_counted_and_not_measured
        a_cgroup_chooses_its_descendants
        a_cgroup_is_chosen_when_it_is_made_by_its_path_or_its_unit
        all_policies_change_at_once
        a_prefix_has_a_bounded_part_of_the_counts
        a_prefix_of_ipv6_has_a_bounded_part_too;
    measured:
        times_to_both_sizes_are_interpolated_in_both_groups
        an_idle_time_does_not_count_as_slow
        a_connection_that_exchanges_small_messages_is_measured_for_some_round_trips_only
        retransmissions_are_counted_in_both_groups
        departures_are_observed_where_a_size_is_near
        the_exit_of_a_start_up_counts_for_its_group;
    memory:
        one_connection_at_a_time_uses_a_remembered_path
        a_connection_that_is_idle_or_changes_its_control_loses_the_path
        an_entry_past_its_lifetime_is_not_used_and_is_deleted
        what_is_sent_at_once_is_bounded
        a_socket_that_has_sent_data_only_teaches
        a_remembered_bdp_that_is_wrong_is_forgotten;
    penalties:
        the_wait_doubles_up_to_64_seconds_and_then_is_over
        a_break_doubles_the_wait_and_a_minute_without_one_halves_it
        reservations_that_break_together_cost_as_much_as_one
        a_penalty_belongs_to_64_bits_of_ipv6;
    totals:
        a_connection_adds_what_it_sent_to_the_totals
        a_start_up_ends_with_its_connection
        counts_begin_when_the_start_up_does
        a_second_exit_does_not_count
        a_start_up_answers_for_retransmissions_after_its_end
        a_repair_counts_when_it_ends
        late_retransmissions_count_until_the_start_up_is_acknowledged
        a_loss_of_a_paced_flight_is_counted
        events_that_nobody_takes_are_counted_when_the_ring_is_full
        changes_of_the_estimate_are_reported_at_most_once_a_millisecond;
}
