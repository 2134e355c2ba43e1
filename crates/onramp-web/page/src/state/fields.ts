/**
 * The values that have a control. docs/reference/scenario-keys.md says what each key means; the
 * scenario's text has all others.
 */

import type { Key } from "./scenario";

export interface Field {
	key: Key;
	label: string;
	/** What it does, for those who do not know the term. */
	hint: string;
	/** The unit of a number without one. */
	unit: string;
	/** Values of the slider, in order. An empty text removes the key. */
	steps: readonly string[];
	/** What holds without the key, in words. */
	absent: string;
	/** Keys that this one needs, with the values that they then get. They go when it goes. */
	needs?: readonly { key: Key; value: string }[];
}

const RATES = [
	"1 Mbit/s",
	"2 Mbit/s",
	"5 Mbit/s",
	"10 Mbit/s",
	"20 Mbit/s",
	"50 Mbit/s",
	"100 Mbit/s",
	"200 Mbit/s",
	"500 Mbit/s",
	"1 Gbit/s",
];
const TIMES = ["", "1 ms", "2 ms", "5 ms", "10 ms", "20 ms"];

export const PATH_FIELDS: readonly Field[] = [
	{
		key: ["path", "rate"],
		label: "Rate",
		unit: "Mbit/s",
		hint: "Bottleneck rate, counted in IP packets",
		steps: RATES,
		absent: "required",
	},
	{
		key: ["path", "rtt"],
		label: "RTT",
		unit: "ms",
		hint: "Round-trip propagation time, without queues",
		steps: [
			"1 ms",
			"2 ms",
			"5 ms",
			"10 ms",
			"20 ms",
			"50 ms",
			"100 ms",
			"200 ms",
			"300 ms",
			"600 ms",
			"1 s",
		],
		absent: "required",
	},
	{
		key: ["path", "queue"],
		label: "Queue",
		unit: "bdp",
		hint: "Room before the bottleneck: in BDPs, bytes or packets",
		steps: ["0.05 bdp", "0.1 bdp", "0.2 bdp", "0.5 bdp", "1 bdp", "2 bdp", "5 bdp"],
		absent: "1 bdp",
	},
	{
		key: ["path", "loss"],
		label: "Random loss",
		unit: "%",
		hint: "Probability with which each data packet is lost",
		steps: ["", "0.01 %", "0.02 %", "0.05 %", "0.1 %", "0.2 %", "0.5 %", "1 %", "2 %", "5 %"],
		absent: "none",
	},
];

export const RADIO_FIELDS: readonly Field[] = [
	{
		key: ["path", "jitter"],
		label: "Jitter of data",
		unit: "ms",
		hint: "Maximum extra delay of a data packet",
		steps: TIMES,
		absent: "none",
	},
	{
		key: ["path", "reverse", "jitter"],
		label: "Jitter of ACKs",
		unit: "ms",
		hint: "Maximum extra delay of an ACK",
		steps: TIMES,
		absent: "none",
	},
	{
		key: ["path", "aggregate"],
		label: "Data aggregation",
		unit: "ms",
		hint: "Data packets are held for this time, then arrive together",
		steps: TIMES,
		absent: "none",
	},
	{
		key: ["path", "reverse", "aggregate"],
		label: "ACK aggregation",
		unit: "ms",
		hint: "ACKs are held for this time, then arrive together",
		steps: TIMES,
		absent: "none",
	},
	{
		key: ["path", "policer_rate"],
		label: "Policer",
		unit: "Mbit/s",
		hint: "A token bucket of this rate drops what exceeds it",
		steps: ["", "1 Mbit/s", "2 Mbit/s", "5 Mbit/s", "10 Mbit/s", "20 Mbit/s", "50 Mbit/s"],
		absent: "none",
		needs: [{ key: ["path", "policer_burst"], value: "100 kB" }],
	},
	{
		key: ["path", "policer_burst"],
		label: "Policer's burst",
		unit: "kB",
		hint: "Size of the policer's bucket, which is full at the start",
		steps: ["", "20 kB", "50 kB", "100 kB", "200 kB", "500 kB", "1 MB"],
		absent: "none",
		needs: [{ key: ["path", "policer_rate"], value: "10 Mbit/s" }],
	},
];

export const TRANSFER_FIELDS: readonly Field[] = [
	{
		key: ["transfer", 0, "size"],
		label: "Size",
		unit: "MB",
		hint: "Payload of the transfer",
		steps: [
			"10 kB",
			"50 kB",
			"100 kB",
			"200 kB",
			"500 kB",
			"1 MB",
			"2 MB",
			"5 MB",
			"10 MB",
			"20 MB",
			"50 MB",
		],
		absent: "required",
	},
	{
		key: ["receiver", "buffer"],
		label: "Receive buffer",
		unit: "MiB",
		hint: "linux-default grows with what arrives, a size holds from the start",
		steps: ["linux-default", "64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB"],
		absent: "linux-default",
	},
];

/** The rate that start-up `qos` of a transfer is told. */
export function guaranteedRate(transfer: number): Field {
	return {
		key: ["transfer", transfer, "qos_rate"],
		label: "Guaranteed rate",
		unit: "Mbit/s",
		hint: "The rate that the network guarantees to qos, counted in payload",
		steps: RATES,
		absent: "required",
	};
}
