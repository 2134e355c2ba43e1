/** The plots over time: which quantities they show. */

import type { Dash } from "../draw/palette";
import type { CaseRun, Run, TransferRun } from "../engine/types";
import { bitRate, byteCount, duration } from "../units";
import { carriedRate } from "./carried";
import type { Steps } from "./columns";

export interface Line extends Steps {
	/** Index of the case, which selects the colour. */
	series: number;
	/** Index in `quantities`. */
	quantity: number;
}

export interface Quantity {
	label: string;
	dash: Dash;
	width: number;
	/** It stands behind the table of values, which has no room for it. */
	isAside?: boolean;
}

export interface Marks {
	series: number;
	shape: "ring" | "cross";
	timeS: number[];
	value: number[];
}

export interface Plot {
	id: string;
	title: string;
	quantities: Quantity[];
	lines: Line[];
	marks: Marks[];
	/** Horizontal lines. */
	levels: { label: string; value: number }[];
	/** What the marks mean. */
	keys: { shape: Marks["shape"]; label: string }[];
	/** What a reader may wonder about; empty: nothing. */
	note: string;
	/** The plot ends here; infinite: at the largest value. */
	limit: number;
	/** The axis begins at zero, rather than at the smallest value in view. */
	isFromZero: boolean;
	/** One of what `format` shows: rates are in bytes, and shown in bits. */
	unit: number;
	format(value: number): string;
}

/** Windows and rates beyond this multiple of the BDP and of the link's rate are cut off: they would
 * make all others flat. */
const MAX_PIPES = 4;

export function plotsOf(run: Run): Plot[] {
	const shown = run.cases.flatMap((one, series) => {
		const transfer = one.transfers[0];
		return transfer ? [{ one, series, transfer }] : [];
	});
	return [sequence(shown), windowPlot(shown), rates(shown), queue(shown), rtt(shown)];
}

interface Shown {
	one: CaseRun;
	series: number;
	transfer: TransferRun;
}

/** When the lines of a transfer end. */
function endOf({ one, transfer }: Shown): number {
	return transfer.completedS >= 0 ? transfer.completedS : one.endS;
}

type Column = ArrayLike<number>;

/** One line for each transfer and quantity. */
function lines(shown: Shown[], columns: (of: Shown) => [Column, Column][]): Line[] {
	return shown.flatMap((of) =>
		columns(of).map(([timeS, value], quantity) => ({
			series: of.series,
			quantity,
			timeS,
			value,
			untilS: endOf(of),
		})),
	);
}

function largest(shown: Shown[], of: (one: CaseRun) => number): number {
	return Math.max(0, ...shown.map(({ one }) => of(one)).filter((value) => value >= 0));
}

/** A level that all cases share; none where they differ. */
function level(label: string, shown: Shown[], of: (one: CaseRun) => number) {
	const values = new Set(shown.map(({ one }) => of(one)));
	const [value = Number.NaN] = values;
	return values.size === 1 && value > 0 ? [{ label, value }] : [];
}

function sequence(shown: Shown[]): Plot {
	const marks = shown.flatMap(({ series, transfer: { segments } }): Marks[] => {
		const ends = Array.from(segments.startByte, (at, i) => at + (segments.lengthBytes[i] ?? 0));
		const where = (flags: Uint8Array) => {
			const found = [...flags.keys()].filter((i) => flags[i] === 1);
			return {
				timeS: found.map((i) => segments.timeS[i] ?? 0),
				value: found.map((i) => ends[i] ?? 0),
			};
		};
		return [
			{ series, shape: "ring", ...where(segments.retransmission) },
			{ series, shape: "cross", ...where(segments.dropped) },
		];
	});
	return {
		id: "sequence",
		title: "Sequence",
		quantities: [
			{ label: "enters the bottleneck", dash: "solid", width: 2 },
			{ label: "acknowledged", dash: "dashed", width: 1.4 },
		],
		lines: lines(shown, ({ transfer }) => [
			[transfer.segments.timeS, highestSent(transfer)],
			[transfer.sender.timeS, transfer.sender.ackedBytes],
		]),
		marks,
		keys: [
			{ shape: "ring", label: "retransmitted" },
			{ shape: "cross", label: "dropped" },
		],
		note: shown.some(({ transfer }) => transfer.completedS >= 0)
			? "A run ends when the receiver has the last byte: the ACKs on their way then are not in it."
			: "",
		levels: [],
		limit: Number.POSITIVE_INFINITY,
		isFromZero: false,
		unit: 1,
		format: byteCount,
	};
}

/** The end of the highest segment so far. Retransmissions do not lower it. */
function highestSent({ segments }: TransferRun): Float64Array {
	let highest = 0;
	return Float64Array.from(segments.startByte, (start, at) => {
		highest = Math.max(highest, start + (segments.lengthBytes[at] ?? 0));
		return highest;
	});
}

function windowPlot(shown: Shown[]): Plot {
	const full = largest(shown, (one) => {
		const limit = one.links[one.bottleneck]?.queueBytes ?? Number.NaN;
		const most = one.queue.bytes.reduce((a, b) => Math.max(a, b), 0);
		return one.bdpBytes + (limit >= 0 ? limit : most);
	});
	// A window larger than what is left to send is never used.
	const used = shown.map(({ transfer }) => {
		const size = Number(transfer.fields.size_bytes) || Number.POSITIVE_INFINITY;
		return Math.max(1.2 * size, 1.5 * (transfer.sender.cwndBytes[0] ?? 0));
	});
	return {
		id: "window",
		title: "Window",
		quantities: [
			{ label: "cwnd", dash: "solid", width: 2 },
			{ label: "ssthresh", dash: "dashed", width: 1.4 },
			{ label: "in flight", dash: "dotted", width: 1.6 },
		],
		lines: lines(shown, ({ transfer: { sender } }) => [
			[sender.timeS, sender.cwndBytes],
			[sender.timeS, sender.ssthreshBytes],
			[sender.timeS, sender.inflightBytes],
		]),
		marks: [],
		keys: [],
		note: "",
		levels: level("BDP", shown, (one) => one.bdpBytes),
		limit: Math.min(MAX_PIPES * full, Math.max(...used)),
		isFromZero: true,
		unit: 1,
		format: byteCount,
	};
}

function rates(shown: Shown[]): Plot {
	const varies = shown.some(({ one }) => one.links[one.bottleneck]?.rateVaries);
	const carried = ({ one }: Shown): [Column, Column] => {
		const { timeS, value } = carriedRate(one);
		return [timeS, value];
	};
	return {
		id: "rates",
		title: "Rates",
		quantities: [
			{ label: "delivery rate", dash: "solid", width: 2 },
			{ label: "pacing rate", dash: "dashed", width: 1.4 },
			{ label: "estimate", dash: "dashDot", width: 1.4 },
			...(varies
				? [{ label: "carried by the link", dash: "dotted", width: 1.6, isAside: true } as const]
				: []),
		],
		lines: lines(shown, (of) => [
			[of.transfer.sender.timeS, of.transfer.sender.deliveryBytesPerS],
			[of.transfer.sender.timeS, of.transfer.sender.pacingBytesPerS],
			estimates(of),
			...(varies ? [carried(of)] : []),
		]),
		marks: [],
		keys: [],
		note: varies
			? "The link's rate changes. What it carries is known while packets wait; the level is the " +
				"rate without the changes."
			: "",
		levels: level(varies ? "path, unchanged" : "path", shown, (one) => one.capacityBytesPerS),
		limit: MAX_PIPES * largest(shown, (one) => one.capacityBytesPerS),
		isFromZero: true,
		unit: 1 / 8,
		format: bitRate,
	};
}

function estimates({ transfer: { events } }: Shown): [Column, Column] {
	return [events.map((event) => event.timeS), events.map((event) => event.estimateBytesPerS)];
}

function queue(shown: Shown[]): Plot {
	return {
		id: "queue",
		title: "Queue",
		quantities: [{ label: "bytes that wait", dash: "solid", width: 2 }],
		lines: lines(shown, ({ one }) => [[one.queue.timeS, one.queue.bytes]]),
		marks: [],
		keys: [],
		note: "",
		levels: level("limit", shown, (one) => one.links[one.bottleneck]?.queueBytes ?? 0),
		limit: Number.POSITIVE_INFINITY,
		isFromZero: true,
		unit: 1,
		format: byteCount,
	};
}

function rtt(shown: Shown[]): Plot {
	return {
		id: "rtt",
		title: "Round-trip time",
		quantities: [
			{ label: "RTT", dash: "solid", width: 1.4 },
			{ label: "smoothed", dash: "dashed", width: 1.4 },
		],
		lines: lines(shown, ({ transfer: { rtt: samples, sender } }) => [
			[samples.timeS, samples.rttS],
			[sender.timeS, sender.srttS],
		]),
		marks: [],
		keys: [],
		note: "",
		levels: level("path", shown, (one) => one.rttS),
		limit: Number.POSITIVE_INFINITY,
		isFromZero: true,
		unit: 1,
		format: duration,
	};
}
