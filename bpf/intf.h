/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The interface between the BPF programs and user space: the records in maps, in read-only data and
 * in the event ring. The crate onramp-kernel uses them through bpf/src/bindings.rs, which a test
 * generates from this file: `ONRAMP_UPDATE_BINDINGS=1 cargo test -p onramp-bpf` after each change.
 *
 * Every byte of a record belongs to a member. Padding would carry uninitialised bytes.
 */
#ifndef ONRAMP_INTF_H
#define ONRAMP_INTF_H

#include "host.h"
#include "startup.h"
#include "parts/governor.h"
#include "parts/path_memory.h"
#include "parts/pair_option.h"

/* Room for the name of a congestion control or a start-up, with the final zero (TCP_CA_NAME_MAX) */
#define ONRAMP_NAME_BYTES 16

/* Nested cgroups with a limit of their own that a reservation can count against */
#define ONRAMP_LIMIT_LEVELS 8

/* The congestion avoidance that follows a start-up */
enum onramp_avoidance {
	ONRAMP_AVOIDANCE_CUBIC, /* CUBIC (RFC 9438) */
	ONRAMP_AVOIDANCE_BBR,   /* BBR */
	ONRAMP_AVOIDANCE_RENO,  /* Reno (RFC 5681) */
};

/* Raise this number with every change of a record in this file: Onramp ignores programs that were
 * loaded by a build with another number. */
#define ONRAMP_CONFIG_VERSION 23

/* Timers of the kernel for each connection; 0: the kernel's own. The kernel rounds up to whole
 * ticks, and refuses less than two ticks and more than 200 ms. */
struct onramp_timers {
	uint32_t rto_min_us;    /* the least that the retransmission timeout exceeds the RTT */
	uint32_t delack_max_us; /* the longest that an ACK is delayed */
};

/* The user's choices, and the process that made them. They are read-only data, so the verifier
 * removes the code that they rule out. */
struct onramp_config {
	struct startup_clock clock;  /* the timing that the kernel promises to the algorithm */
	uint64_t memory_lifetime_ns; /* the Lifetime of path memory; 0: nothing is remembered */
	uint64_t memory_jump_bytes;  /* the cap of a jump at once; 0: the default */
	/* Behind the initial window, before any ACK; 0: nothing. STARTUP_UNLIMITED: the host learns
	 * it. */
	uint64_t initial_bytes_per_s;
	uint64_t owner_start_ticks; /* when owner_pid started (/proc/PID/stat): PIDs are reused */
	uint64_t build;             /* hash of the program: a service replaces those of others */
	uint32_t owner_pid; /* the process that owns the registration; 0: loaded until unloaded */
	uint32_t version;   /* ONRAMP_CONFIG_VERSION */
	uint32_t avoidance; /* enum onramp_avoidance */
	uint32_t options;   /* bits of enum startup_option */
	uint32_t record;    /* report every input and decision of the algorithm in the ring */
	uint32_t governor_bound_ppm; /* share of retransmitted segments; 0: no governor */
	uint32_t restricted;         /* only processes with CAP_NET_ADMIN may choose it */
	uint32_t events;             /* put events into the ring, because somebody reads it */
	uint32_t service;  /* `onramp serve` holds it: count into the groups of policies */
	uint32_t reserved; /* 0 */
	struct onramp_timers timers;
	char startup[ONRAMP_NAME_BYTES];            /* the algorithm's name in core/registry.h */
	char congestion_control[ONRAMP_NAME_BYTES]; /* the name that sockets choose */
};

/* An address and a port */
struct onramp_endpoint {
	uint8_t address[16]; /* in network byte order; an IPv4 address is in the first four */
	uint16_t port;       /* in host byte order */
	uint16_t family;     /* AF_INET or AF_INET6 */
	uint32_t reserved;   /* 0 */
};

/* The account of a start-up: bpf/startup/totals.h */
enum onramp_account_state {
	ONRAMP_ACCOUNT_OPEN,   /* the start-up is not over */
	ONRAMP_ACCOUNT_LATE,   /* it is over; its last segments may still be retransmitted */
	ONRAMP_ACCOUNT_CLOSED, /* every segment of it is delivered, or it never ran */
};

/* What a connection adds to the totals. Counts of segments wrap, as the kernel's do. */
struct onramp_account {
	uint64_t start_acked_bytes;              /* tp->bytes_acked at the start */
	uint32_t start_sent_segments;            /* tp->data_segs_out at the start */
	uint32_t start_retransmitted_segments;   /* tp->total_retrans at the start */
	uint32_t startup_sent_segments;          /* in the start-up, with retransmissions */
	uint32_t startup_retransmitted_segments; /* of those */
	uint32_t startup_end_seq;                /* tp->snd_nxt when the start-up ended */
	uint32_t state;                          /* enum onramp_account_state */
};

/* The state of a connection's start-up, beside the kernel's own state of the connection. The
 * algorithm's own state follows it in the map (startup/algorithm.template.h). */
struct onramp_connection {
	struct startup_decision decision; /* the latest */
	struct startup_ack ack;           /* the latest; a program's stack has no room for it */
	uint64_t id;                      /* unique on this host since the program was loaded */
	uint64_t start_ns;                /* when the start-up began */
	uint64_t exit_ns;         /* when the start-up ended for the first time; 0: not yet */
	uint64_t exit_cwnd_bytes; /* the decided cwnd at that time */
	uint64_t last_event_ns;   /* when the latest ACK event was put into the ring */
	uint64_t last_event_estimate_bytes_per_s; /* the estimate in it */
	uint64_t delivered_bytes;       /* since the start, at the latest input of the algorithm */
	uint32_t delivered_segments;    /* tp->delivered at that time; the count wraps */
	int32_t rtt_us;                 /* RTT sample of the present ACK; -1: none */
	uint32_t pacing_is_ours;        /* pacing was off, and the start-up switched it on */
	uint32_t initial_cwnd_segments; /* cwnd when a reservation ends */
	uint32_t last_event_phase;      /* enum startup_phase in the latest ACK event */
	uint32_t initial_ssthresh_segments; /* ssthresh when a reservation ends */
	uint32_t exit; /* enum startup_exit of the first exit; the decision has the latest */
	uint32_t cwnd_before_pair_segments; /* cwnd to restore after a pair; 0: nothing to do */
	uint64_t lost_bytes;        /* since the start, at the latest input of the algorithm */
	uint32_t lost_segments;     /* tp->lost at that time; the count wraps */
	uint32_t pair_is_leaving;   /* until the next ACK: two single segments, not paced */
	uint64_t bucket_full_ns;    /* token bucket of a reserved rate (parts/token_bucket.h) */
	uint64_t bucket_updated_ns; /* when the bucket was last looked at */
	uint64_t bucket_sent_bytes; /* tp->bytes_sent at that time */
	uint64_t path_refreshed_ns; /* when it last refreshed its path entry; 0: it holds none */
	uint64_t path_initial_cwnd_bytes; /* the cwnd below which a path is not remembered */
	uint32_t quiet_acks;              /* successive ones, until now (core/host.h) */
	uint32_t settled_seq; /* tp->snd_nxt at the end of the start-up or of the latest repair */
	uint32_t resumed_segments;     /* tp->delivered when data last left while nothing was in
					  flight */
	uint32_t reserved;             /* 0 */
	struct host_limited limited;   /* round trips that cwnd did not limit (core/host.h) */
	struct onramp_account account; /* what it adds to the totals */
	uint64_t handed_over_ns;  /* when the kernel's own avoidance got the socket; 0: not yet */
	uint32_t ensemble_period; /* in which it is counted (parts/ensemble.h); 0: it is not */
	uint32_t first_round_is_learned; /* the host has learned of its first round */
};

/* Exits that the totals distinguish, more than STARTUP_EXIT_COUNT */
#define ONRAMP_TOTALS_EXITS 16
/* Classes of the histogram of times */
#define ONRAMP_TOTALS_TIMES 32

/* Totals of a registration, on one processor. All count from the registration on and never fall. */
struct onramp_totals {
	uint64_t started; /* connections */
	uint64_t ended;   /* connections that were closed, or changed the congestion control */
	uint64_t exits[ONRAMP_TOTALS_EXITS]; /* start-ups that ended, by enum startup_exit; those
					      * of STARTUP_EXIT_NONE ended with the connection */
	uint64_t estimates;                  /* of those, with an estimate */
	uint64_t paced_flights_lost;         /* losses that were found while a start-up paced */
	uint64_t startup_sent_segments;      /* by start-ups that ended, with retransmissions */
	uint64_t startup_retransmitted_segments; /* of those, also after the start-up's end */
	uint64_t delivered_bytes;                /* acknowledged, of connections that ended */
	uint64_t sent_segments;                  /* of connections that ended */
	uint64_t retransmitted_segments;         /* of those */
	uint64_t time_us;                        /* sum of the times in start-up */
	uint64_t times[ONRAMP_TOTALS_TIMES];     /* start-ups by their time. Class 0: below 1 us;
						  * class N: 2^(N-1) us and more, below 2^N us;
						  * the last: all longer ones too */
	uint64_t events_lost;                    /* events for which the ring had no room */
};

/* Key of the governor's averages: a destination. bpf/startup/governor.h says which addresses are
 * one destination. */
struct onramp_destination {
	uint64_t network_namespace; /* cookie */
	uint8_t address[16];        /* an IPv4 address as ::ffff:192.0.2.1 */
};

/* The governor's average for a destination */
struct onramp_destination_average {
	struct governor_average average; /* times: bpf_ktime_get_ns() */
	uint32_t network_namespace;      /* inode number */
	uint32_t reserved;               /* 0 */
};

/* Key of the path memory and of ensembles: the sending interface and the destination, by their
 * addresses */
struct onramp_path {
	uint64_t network_namespace; /* cookie */
	uint8_t local[16];          /* an IPv4 address as ::ffff:192.0.2.1 */
	uint8_t remote[16];         /* likewise */
};

/* Value of the path memory */
struct onramp_path_entry {
	struct path_memory_entry
		entry;              /* user: a connection's id; times: bpf_ktime_get_boot_ns() */
	uint32_t network_namespace; /* inode number */
	uint32_t reserved;          /* 0 */
};

/* The state of a socket's reservation (TCP_QOS) */
enum onramp_reservation_state {
	ONRAMP_RESERVATION_NONE,    /* none was requested, or it has ended */
	ONRAMP_RESERVATION_ASKED,   /* requested: decided when the connection is established */
	ONRAMP_RESERVATION_GRANTED, /* in force, and counted against its limits */
	ONRAMP_RESERVATION_HELD,    /* counted, while the socket restarts at another rate */
	ONRAMP_RESERVATION_REFUSED, /* one of its limits has no room for it */
	ONRAMP_RESERVATION_BROKEN,  /* losses showed that the path does not provide the rate */
};

/* A socket's reservation. A connection that a listening socket accepts has a copy of its own. */
struct onramp_reservation {
	uint64_t rate_bytes_per_s;            /* of payload */
	uint32_t burst_bytes;                 /* bucket depth; 0: the algorithm's choice */
	uint32_t state;                       /* enum onramp_reservation_state */
	uint64_t owner;                       /* who asked: see ONRAMP_OWNER_USER */
	uint64_t limits[ONRAMP_LIMIT_LEVELS]; /* ids of the cgroups whose limits it counts against,
					       * the innermost first; 0: no more */
	char previous[ONRAMP_NAME_BYTES];     /* the socket's congestion control before it */
	uint64_t bucket_full_ns; /* carried over to the next rate or request: an application */
	uint64_t excess_bytes; /* must not refill its bucket or clear its losses by asking again */
	uint64_t granted_ns;   /* when it was granted */
	uint32_t app_chose_control; /* the application asked for another congestion control before
				     * the connection was established */
	uint32_t reserved;          /* 0 */
};

/* The owner of a reservation is the innermost cgroup with a limit of its own, by its id. Where only
 * the host has a limit, the owner is the user: this bit and the user id of the asking process. No
 * cgroup id has this bit. */
#define ONRAMP_OWNER_USER 0x4000000000000000

/* Key of the penalties: who may not reserve, and for which destination */
struct onramp_penalty_key {
	uint64_t owner;             /* of the reservations that broke */
	uint64_t network_namespace; /* cookie */
	uint8_t destination[16];    /* an IPv4 address as ::ffff:192.0.2.1; of IPv6 the first 64
				     * bits, which one host may have to itself */
};

/* The penalty for reservations that broke: the owner waits before it reserves again */
struct onramp_penalty {
	uint64_t broken_ns; /* when the latest of them broke */
	uint32_t level;     /* how often the time to wait has doubled, plus 1 */
	uint32_t reserved;  /* 0 */
};

/* The rate that may be reserved in a cgroup and its descendants. The root's limit is the host's.
 * The limit with the key ONRAMP_OWNER_USER holds for each user who is an owner. */
struct onramp_limit {
	uint64_t bytes_per_s; /* of payload */
	uint64_t outer;       /* id of the nearest enclosing cgroup that has a limit; 0: none */
};

/* How much of a limit is reserved, and the requests so far */
struct onramp_usage {
	uint64_t bytes_per_s; /* reserved now */
	uint64_t granted;     /* requests */
	uint64_t refused;     /* requests, because of this limit */
	uint64_t broken;      /* reservations that were granted, and broke */
};

/* Packet pairs of a connection whose peer supports the TCP option. bpf/pair.bpf.c writes and reads
 * the option and shares this record with the start-up. Both run under the socket's lock. */
struct onramp_pairs {
	struct pair_probe probe;   /* the pairs that this end sends */
	struct pair_meter meter;   /* the pairs that this end measures */
	struct pair_counts counts; /* of pairs and options so far */
	struct pair_option reply;  /* to be sent, if has_reply */
	struct pair_report report; /* from the peer, not yet seen by the start-up; 0: none */
	uint32_t reported_ns;      /* the latest interval that the peer reported */
	uint32_t measured_ns;      /* the latest interval that this end measured */
	uint8_t startup_is_active; /* the start-up is not over */
	uint8_t request;           /* enum startup_pair_request: how to mark the next segments */
	uint8_t has_reply;         /* reply waits for a segment with room for it */
	uint8_t ack_now;           /* acknowledge the segment that is arriving at once */
	uint8_t has_arrivals;      /* the last arrival had a kernel time stamp */
	uint8_t reserved[3];       /* 0 */
};

/* The kernel's own state of a connection, at the time of the listing */
struct onramp_socket_now {
	struct onramp_endpoint local;    /* this host's end */
	struct onramp_endpoint remote;   /* the other end */
	uint64_t now_ns;                 /* the time of the listing */
	uint64_t pacing_bytes_per_s;     /* STARTUP_UNLIMITED: the connection is not paced */
	uint64_t bytes_acked;            /* so far */
	uint32_t tcp_state;              /* enum of net/tcp_states.h */
	uint32_t mss_bytes;              /* payload of a full segment */
	uint32_t cwnd_segments;          /* congestion window */
	uint32_t ssthresh_segments;      /* TCP_INFINITE_SSTHRESH: none is set */
	uint32_t srtt_us;                /* smoothed RTT */
	uint32_t retransmitted_segments; /* so far */
	uint32_t network_namespace;      /* inode number */
	uint32_t has_pairs;              /* both ends support packet pairs */
	char congestion_control[ONRAMP_NAME_BYTES]; /* another one after a hand-over */
};

/* A row of `onramp ss` */
struct onramp_socket {
	struct onramp_connection connection; /* the start-up */
	struct onramp_pairs pairs;           /* 0 if now.has_pairs is 0 */
	struct onramp_socket_now now;        /* the kernel's own state */
};

/* The input that an event reports */
enum onramp_event_kind {
	ONRAMP_EVENT_START = 1, /* input.start */
	ONRAMP_EVENT_ACK = 2,   /* input.ack; which ACKs: ack_is_reported() in startup/events.h */
	ONRAMP_EVENT_LOSS = 3,  /* input.loss */
	ONRAMP_EVENT_END = 4,   /* input.ack: the host, not the algorithm, ends the start-up */
};

/* An input of the algorithm; the event's kind names the member */
union onramp_event_input {
	struct startup_start start; /* ONRAMP_EVENT_START */
	struct startup_ack ack;     /* ONRAMP_EVENT_ACK, ONRAMP_EVENT_END */
	struct startup_loss loss;   /* ONRAMP_EVENT_LOSS */
};

/* An input of the algorithm and its decision, in the ring */
struct onramp_event {
	uint64_t id;                      /* of the connection */
	uint32_t kind;                    /* enum onramp_event_kind */
	uint32_t reserved;                /* 0 */
	struct onramp_endpoint local;     /* this host's end */
	struct onramp_endpoint remote;    /* the other end */
	union onramp_event_input input;   /* what the algorithm was given */
	struct startup_decision decision; /* what it decided */
};

/* Read-only data of bpf/adopt.bpf.c */
struct onramp_adopt {
	char congestion_control[ONRAMP_NAME_BYTES]; /* for the cgroup's connections */
	struct onramp_timers timers;                /* likewise, before the handshake */
};

/* What bpf/move.bpf.c is to do with the sockets of one congestion control in a network namespace,
 * and what it did */
struct onramp_move {
	char to[ONRAMP_NAME_BYTES]; /* the congestion control that they get */
	uint64_t moved;             /* sockets */
	uint64_t refused;           /* sockets that the kernel left as they were */
};

/* Read-only data of bpf/receiver.bpf.c */
struct onramp_receiver {
	uint64_t limit_bytes;  /* of what all live connections have gained together */
	uint32_t window_bytes; /* that a connection offers at first */
	uint32_t any_peer;     /* the address of the other end does not matter */
	uint32_t any_port;     /* likewise the ports */
	uint32_t reserved;     /* 0 */
};

/* A connection whose receive buffer is raised (bpf/receiver/lift.h) */
struct onramp_lift {
	uint32_t window_bytes; /* that it shall offer */
	uint32_t raised_bytes; /* by which its buffer was raised; 0: it was not */
	uint32_t tries_left;   /* to raise it when a segment leaves; 0: no more */
};

/* What bpf/receiver/lift.h did */
struct onramp_receiver_counts {
	uint64_t lifted;       /* connections so far */
	uint64_t live;         /* those of them that live */
	uint64_t live_bytes;   /* what the buffers of these have gained */
	uint64_t beyond_limit; /* connections that were not lifted, because of the limit */
};

/* Network namespaces that bpf/pair.bpf.c can be restricted to */
#define ONRAMP_PAIR_NAMESPACES 2

/* Read-only data of bpf/pair.bpf.c */
struct onramp_pair_config {
	uint64_t namespaces[ONRAMP_PAIR_NAMESPACES]; /* cookies; all 0: every namespace */
};

/* Read-only data of bpf/qos.bpf.c */
struct onramp_qos_config {
	char congestion_control[ONRAMP_NAME_BYTES]; /* the registered start-up `qos` */
	struct onramp_reservation asked; /* for connections whose application requests none */
};

/* Policies that `onramp serve` can have in force at one time: a bit each in a word */
#define ONRAMP_POLICIES 64

/* Depth of the cgroups that policies can name; the root has level 0 */
#define ONRAMP_CGROUP_LEVELS 16

/* Room for the path of a cgroup below the root, or the name of a systemd unit, with the final
 * zero */
#define ONRAMP_CGROUP_NAME_BYTES 124

/* A policy, as a new connection needs it */
struct onramp_rule {
	uint32_t slot;  /* its counts are the elements 2 * slot and 2 * slot + 1 of the groups */
	uint32_t epoch; /* of the slot: another policy or start-up has used it before */
	uint32_t threshold; /* connections whose random number of 32 bits is smaller get the
			     * start-up; ONRAMP_EVERY_CONNECTION: all do */
	uint32_t receive_window_bytes; /* that its connections offer at first; 0: as the host has
					* it */
	char congestion_control[ONRAMP_NAME_BYTES]; /* of the start-up; empty: the policy leaves its
						     * connections alone, and counts nothing */
};

#define ONRAMP_EVERY_CONNECTION 0xffffffff

/* The policies in force. Each bit of a set is a policy, the first of the configuration the lowest.
 * A connection's policies are those that all four maps and its family allow. */
struct onramp_table {
	uint64_t any_destination; /* policies that no destination restricts */
	uint64_t any_port;        /* likewise a local port */
	uint64_t any_cgroup;
	uint64_t any_user;
	uint64_t ipv4; /* policies for connections over IPv4 */
	uint64_t ipv6;
	uint64_t measured;            /* policies whose connections are counted */
	uint64_t lifting;             /* policies with a receive window */
	uint64_t receive_limit_bytes; /* of what the buffers of all these have gained together */
	uint32_t reserved;            /* 0 */
	uint32_t generation; /* raised with each configuration; keys of maps begin with it */
	struct onramp_rule rules[ONRAMP_POLICIES];
};

/* Key of the destinations: a prefix */
struct onramp_prefix {
	uint32_t length_bits; /* of what follows: 32 for the generation, 0 to 128 for the address */
	uint32_t generation;
	uint8_t address[16]; /* an IPv4 address as ::ffff:192.0.2.1 */
};

enum onramp_match_kind {
	ONRAMP_MATCH_PORT = 1, /* a local port */
	ONRAMP_MATCH_CGROUP,   /* the id of a cgroup */
	ONRAMP_MATCH_USER,     /* a user id of the host */
};

/* Key of the other things that policies match */
struct onramp_match {
	uint32_t generation;
	uint32_t kind; /* enum onramp_match_kind */
	uint64_t value;
};

/* Key of the cgroups that policies name, whether they exist or not */
struct onramp_cgroup_name {
	uint32_t generation;
	char name[ONRAMP_CGROUP_NAME_BYTES]; /* "/system.slice/web.service", or the last part of a
					      * path: "web.service"; then zeros */
};

/* The groups of a policy */
enum onramp_group {
	ONRAMP_GROUP_STARTUP, /* connections with the start-up */
	ONRAMP_GROUP_CONTROL, /* connections that the policy chose and left as they are */
};

/* Sizes of transfers whose time is measured: 100 kB and 1 MB */
#define ONRAMP_MEASURED_SIZES 2

/* What a measured connection has with its socket. Bytes are of acknowledged payload. */
struct onramp_tag {
	uint64_t start_acked_bytes;            /* tp->bytes_acked when it was established */
	uint64_t seen_ns;                      /* the latest observation; first the establishment */
	uint64_t seen_us;                      /* the busy time (policy/measure.h) until then */
	uint64_t seen_bytes;                   /* acknowledged until then */
	uint32_t seen_ticks;                   /* jiffies at that time */
	uint32_t seen_busy_ticks;              /* jiffies of which the connection was not idle */
	uint32_t start_sent_segments;          /* tp->data_segs_out when it was established */
	uint32_t start_retransmitted_segments; /* tp->total_retrans at that time */
	uint32_t slot;                         /* of its policy */
	uint32_t epoch;                        /* of the slot, when it was established */
	uint32_t group;                        /* enum onramp_group */
	uint32_t reached;                      /* how many of the measured sizes are acknowledged */
	uint32_t is_ended; /* its segments are counted, and nothing more is measured */
	uint32_t rounds;   /* round trips so far */
};

/* Histograms of the groups: an octave is divided into equal buckets. The first bucket has the
 * smaller values, the last one the larger ones. */
#define ONRAMP_HISTOGRAM_FIRST_OCTAVE 10 /* log2 of the lower limit of the first octave */
#define ONRAMP_TIME_LAST_OCTAVE 26       /* log2 of the upper limit of the last octave */
#define ONRAMP_TIME_OCTAVE_LOG2 3        /* log2 of the buckets of an octave */
#define ONRAMP_TIME_BUCKETS 130
#define ONRAMP_RATE_LAST_OCTAVE 35
#define ONRAMP_RATE_OCTAVE_LOG2 2
#define ONRAMP_RATE_BUCKETS 102

struct onramp_times {
	uint64_t sum_us;
	uint64_t counts[ONRAMP_TIME_BUCKETS];
};

struct onramp_rates {
	uint64_t sum_bytes_per_s;
	uint64_t counts[ONRAMP_RATE_BUCKETS];
};

/* Segments with payload of connections that have ended, or of their first megabyte */
struct onramp_segments {
	uint64_t connections;
	uint64_t connections_retransmitting;
	uint64_t sent; /* with retransmissions */
	uint64_t retransmitted;
	uint64_t sent_squares; /* the sum over connections of sent * sent */
	uint64_t retransmitted_squares;
	uint64_t products; /* the sum over connections of sent * retransmitted */
};

/* What the connections of a group did, on one processor. Nothing here ever falls. */
struct onramp_group_counts {
	uint64_t connections;
	uint64_t ended;
	uint64_t exits[ONRAMP_TOTALS_EXITS]; /* start-ups that ended, by enum startup_exit */
	struct onramp_times time_to_size[ONRAMP_MEASURED_SIZES]; /* busy time */
	struct onramp_times startup_time;
	struct onramp_times smoothed_rtt;
	struct onramp_rates estimate;
	struct onramp_segments segments;
	uint64_t epoch; /* only connections of this epoch are counted */
};

/* What the policy program did beside the groups, on one processor */
struct onramp_policy_totals {
	uint64_t without_policy;    /* new connections that no policy matches */
	uint64_t chosen_by_program; /* those whose program or route chose the control itself */
	uint64_t refused;           /* those for which the kernel refused the start-up */
	uint64_t cgroups_lost;      /* new cgroups for which the map had no room */
	uint64_t not_counted;       /* those of a prefix that has its share of the counts already */
};

/* Transfers of a connection that its observation has; further ones are counted */
#define ONRAMP_OBSERVED_TRANSFERS 8

/* Payload that a connection sent from one time at which nothing was in flight to the next */
struct onramp_transfer {
	uint64_t start_us; /* its first segment left, by bpf_ktime_get_ns() */
	uint64_t end_us;   /* its last byte was acknowledged */
	uint64_t bytes;
};

/* What `onramp advise` sees of a connection, from its establishment to its end. Counts wrap, as
 * those of the kernel do. */
struct onramp_observation {
	struct onramp_endpoint local;
	struct onramp_endpoint remote;
	struct onramp_transfer transfers[ONRAMP_OBSERVED_TRANSFERS]; /* the first ones */
	uint64_t established_us;                                     /* by bpf_ktime_get_ns() */
	uint64_t ended_us;
	uint64_t start_acked_bytes; /* tp->bytes_acked at the establishment */
	uint64_t rate_bytes_per_s;  /* the maximum delivery rate that the application did not
				     * limit; 0: no sample */
	uint64_t
		first_loss_bytes; /* acknowledged when the first retransmission was seen; 0: none */
	uint64_t dry_bytes;       /* written when the latest round trip began */
	uint64_t round_us;        /* when its first ACK came */
	uint64_t over_bytes;      /* payload of the transfers that are over */
	uint64_t closed_bytes;    /* written when the application closed it */
	uint32_t start_sent_segments;          /* tp->data_segs_out at the establishment */
	uint32_t start_retransmitted_segments; /* tp->total_retrans at that time */
	uint32_t sent_segments;                /* with retransmissions */
	uint32_t retransmitted_segments;
	uint32_t marked_segments;  /* acknowledged with a mark of congestion (ECN) */
	uint32_t transfer_count;   /* with those for which `transfers` has no room */
	uint32_t rounds;           /* round trips with payload */
	uint32_t handshake_rtt_us; /* 0: not measured */
	uint32_t min_rtt_us;       /* of payload; 0: not measured */
	uint32_t max_rtt_us;       /* of the first ACK of each round trip */
	uint32_t loss_rtt_us;      /* max_rtt_us when the first retransmission was seen */
	uint32_t loss_rounds;      /* round trips in which something was retransmitted */
	uint32_t seen_retransmitted_segments; /* tp->total_retrans at the latest round trip */
	uint32_t mss_bytes;
	uint32_t initial_cwnd_segments;
	uint32_t max_cwnd_segments;
	uint32_t first_window_bytes; /* the receiver's window at the establishment */
	uint32_t max_window_bytes;
	uint32_t busy_ticks;             /* jiffies with payload in flight or to be sent */
	uint32_t receiver_limited_ticks; /* of those, held up by the receiver's window */
	uint32_t buffer_limited_ticks;   /* of those, held up by the send buffer */
	uint32_t round_ticks;            /* jiffies when the latest round trip began */
	uint32_t round_busy_ticks;       /* jiffies with payload until then */
	uint32_t is_accepted;            /* this host accepted the connection */
	uint32_t is_complete;            /* everything written was acknowledged */
	uint32_t is_sending;             /* the latest of `transfers` is not over */
	uint32_t is_dry;                 /* the application had written nothing more then */
	uint32_t is_closed;              /* the application has closed it */
	char congestion_control[ONRAMP_NAME_BYTES]; /* in the first round trip */
};

/* What the observing program did, on all processors */
struct onramp_observed {
	uint64_t opened; /* connections */
	uint64_t ended;
	uint64_t idle; /* of those, without payload from this host */
	uint64_t lost; /* of those, for which the ring had no room, or the socket no memory */
};

#endif
