/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel programs and onramp-kernel tell each other; crates/onramp-kernel/src/shared.rs is
 * its mirror. */
#ifndef ONRAMP_SHARED_H
#define ONRAMP_SHARED_H

#include "startup.h"
#include "parts/path_memory.h"
#include "parts/pair_option.h"

#define ONRAMP_NAME_BYTES 16

/* Of cgroups with a limit, one within the other. */
#define ONRAMP_LIMIT_LEVELS 8

enum onramp_avoidance {
	ONRAMP_AVOIDANCE_CUBIC,
	ONRAMP_AVOIDANCE_BBR,
	ONRAMP_AVOIDANCE_RENO,
};

/* To be raised with every change of a record in this file: versions that do not know each other
 * stay apart. */
#define ONRAMP_CONFIG_VERSION 11

/* The user's choices, and who made them: read-only data, so that the verifier removes what they
 * rule out. */
struct onramp_config {
	struct startup_clock clock;
	uint64_t memory_lifetime_ns; /* core/parts/path_memory.h; 0: nothing is remembered */
	uint64_t owner_start_ticks; /* of the process below, from /proc/PID/stat: a PID alone may be
				       reused */
	uint32_t owner_pid;         /* 0: loaded until it is unloaded */
	uint32_t version;           /* ONRAMP_CONFIG_VERSION */
	uint32_t avoidance;         /* enum onramp_avoidance */
	uint32_t options;           /* enum startup_option */
	uint32_t record; /* put every input and decision of the algorithm into the ring */
	uint32_t reserved;
	char startup[ONRAMP_NAME_BYTES];
	char congestion_control[ONRAMP_NAME_BYTES];
};

struct onramp_endpoint {
	uint8_t address[16]; /* IPv4 in the first four */
	uint16_t port;
	uint16_t family;
	uint32_t reserved;
};

/* What is kept for a connection beside the kernel's own state. */
struct onramp_connection {
	uint64_t state[STARTUP_STATE_BYTES / 8];
	struct startup_decision decision; /* the latest */
	uint64_t id;                      /* unique on this host since the program was loaded */
	uint64_t start_ns;
	uint64_t exit_ns; /* of the first exit, as the other two; 0: not yet */
	uint64_t exit_cwnd_bytes;
	uint64_t told_ns; /* the latest event of an acknowledgement; estimate and phase in it */
	uint64_t told_bytes_per_s;
	uint64_t delivered_bytes;    /* since the start, by the latest word to the start-up */
	uint32_t delivered_segments; /* the kernel's count, which wraps, when that was taken */
	uint32_t prr_delivered;      /* segments delivered in this recovery (RFC 6937) */
	uint32_t paced_by_us;        /* the host's pacing was off and was switched on */
	uint32_t initial_cwnd;       /* segments */
	uint32_t told_phase;         /* enum startup_phase */
	uint32_t initial_ssthresh;   /* segments */
	uint32_t exit;               /* enum startup_exit; the decision has that of the latest */
	uint32_t held_cwnd;     /* segments: the window while only a pair may leave; 0: it is the
				   socket's */
	uint64_t lost_bytes;    /* since the start, by the latest word to the start-up */
	uint32_t lost_segments; /* the kernel's count, which wraps, when that was taken */
	uint32_t reserved;
	uint64_t bucket_full_ns;     /* of a reserved rate: core/parts/token_bucket.h */
	uint64_t bucket_now_ns;      /* when it was last looked at */
	uint64_t bucket_taken_bytes; /* the kernel's count of what was sent, when that was taken
					from it */
	/* Of what is remembered of the path: remembered.h. */
	uint64_t memory_kept_ns; /* when it last said that it has the entry; 0: it has it not */
	uint64_t memory_window_bytes; /* the initial window, which says what is worth remembering */
};

/* A path: the sending interface and the destination, by their addresses. */
struct onramp_path {
	uint64_t network_namespace; /* cookie */
	uint8_t local[16];          /* of IPv4 as IPv6 has them: ::ffff:192.0.2.1 */
	uint8_t remote[16];
};

/* What is remembered of it. */
struct onramp_remembered {
	struct path_memory_entry
		entry; /* users are connections' ids; times those of bpf_ktime_get_boot_ns() */
	uint32_t network_namespace; /* inode number */
	uint32_t reserved;
};

/* What became of a socket's TCP_QOS. */
enum onramp_reservation_state {
	ONRAMP_RESERVATION_NONE,
	ONRAMP_RESERVATION_ASKED,   /* to be granted when the connection is established */
	ONRAMP_RESERVATION_GRANTED, /* and counted against its limits */
	ONRAMP_RESERVATION_HELD,    /* counted, while the socket begins anew at another rate */
	ONRAMP_RESERVATION_REFUSED, /* by one of them */
	ONRAMP_RESERVATION_BROKEN,  /* losses showed that it does not hold */
};

/* A socket's reservation; connections that a listening socket accepts have a copy of its own. */
struct onramp_reservation {
	uint64_t rate_bytes_per_s;
	uint32_t burst_bytes;
	uint32_t state;                       /* enum onramp_reservation_state */
	uint64_t limits[ONRAMP_LIMIT_LEVELS]; /* the cgroups against whose limits it counts; 0: no
						 more */
	char previous[ONRAMP_NAME_BYTES];     /* the congestion control that the socket had */
	/* What another rate, or asking once more, does not make good. */
	uint64_t bucket_full_ns; /* core/parts/token_bucket.h */
	uint64_t excess_bytes;   /* core/algorithms/qos.h */
	uint64_t broken_ns;      /* when it last broke */
	uint32_t breaks;
	uint32_t has_chosen; /* the application has asked for another congestion control before the
				connection stood */
};

/* How much may be reserved in a cgroup and those within it: the root's limit is the host's. */
struct onramp_limit {
	uint64_t bytes_per_s;
	uint64_t outer; /* the nearest cgroup around it that has a limit; 0: none */
};

/* How much is, and how it came to that. */
struct onramp_usage {
	uint64_t bytes_per_s;
	uint64_t granted;
	uint64_t refused;
	uint64_t broken;
};

/* A connection whose two ends know the option of packet pairs: what bpf/pair.bpf.c, which writes
 * and reads it, and the start-up tell each other. Both run under the socket's lock. */
struct onramp_pairs {
	struct pair_probe probe;
	struct pair_meter meter;
	struct pair_counts counts;
	struct pair_option reply;  /* to be sent, where has_reply */
	struct pair_report report; /* the peer's that the start-up has yet to see; zero: none */
	uint32_t reported_ns;      /* the peer's latest report */
	uint32_t measured_ns;      /* this end's latest report */
	uint8_t is_starting;       /* the start-up is under way */
	uint8_t due;               /* enum startup_pair_request: what the next full segments are */
	uint8_t has_reply;
	uint8_t ack_now;      /* acknowledge what is arriving at once */
	uint8_t has_arrivals; /* the kernel took the time when the first arrived */
	uint8_t reserved[3];
};

/* What the kernel itself says of a connection. */
struct onramp_socket_now {
	struct onramp_endpoint local;
	struct onramp_endpoint remote;
	uint64_t now_ns;
	uint64_t pacing_bytes_per_s;
	uint64_t bytes_acked;
	uint32_t tcp_state;
	uint32_t mss_bytes;
	uint32_t cwnd_segments;
	uint32_t ssthresh_segments;
	uint32_t srtt_us;
	uint32_t retransmitted_segments;
	uint32_t network_namespace; /* inode number */
	uint32_t has_pairs;
};

/* A line of `onramp ss`. */
struct onramp_socket {
	struct onramp_connection connection;
	struct onramp_pairs pairs; /* zero where it has none */
	struct onramp_socket_now now;
};

enum onramp_event_kind {
	ONRAMP_EVENT_START = 1, /* input.start */
	ONRAMP_EVENT_ACK = 2, /* input.ack; only while recording, or when it is news: startup.bpf.c,
				 is_news() */
	ONRAMP_EVENT_LOSS = 3, /* input.loss */
};

struct onramp_event {
	uint64_t id; /* of the connection */
	uint32_t kind;
	uint32_t reserved;
	struct onramp_endpoint local;
	struct onramp_endpoint remote;
	union {
		struct startup_start start;
		struct startup_ack ack;
		struct startup_loss loss;
	} input;
	struct startup_decision decision;
};

/* The same numbers stand in crates/onramp-kernel/src/shared.rs. */
_Static_assert(sizeof(struct onramp_config) == 88, "struct onramp_config");
_Static_assert(sizeof(struct onramp_connection) == 976, "struct onramp_connection");
_Static_assert(sizeof(struct onramp_pairs) == 152, "struct onramp_pairs");
_Static_assert(sizeof(struct onramp_socket) == 1232, "struct onramp_socket");
_Static_assert(sizeof(struct onramp_event) == 224, "struct onramp_event");
_Static_assert(sizeof(struct onramp_reservation) == 128, "struct onramp_reservation");
_Static_assert(sizeof(struct onramp_limit) == 16, "struct onramp_limit");
_Static_assert(sizeof(struct onramp_usage) == 32, "struct onramp_usage");
_Static_assert(sizeof(struct onramp_path) == 40, "struct onramp_path");
_Static_assert(sizeof(struct onramp_remembered) == 48, "struct onramp_remembered");

#endif
