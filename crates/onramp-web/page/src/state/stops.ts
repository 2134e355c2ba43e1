/**
 * The moments that explain a run: where an ACK train shows the rate or aggregated ACKs hide it,
 * where the link is empty, where a window leaves paced, where a start-up probes without a rate, and
 * where the delay ends the growth. Play stops there, with a caption. Each figure of a caption is
 * one of the run's record, and a moment that the record does not bear out has no caption.
 */

import { computed, signal } from "@preact/signals";
import { countUpTo, packetsOf } from "../draw/packets";
import { type CaseRun, PacketKind, type Run, type TransferRun } from "../engine/types";
import { bitRate, byteCount, duration, grouped, significant } from "../units";
import { nameOf } from "./names";
import { run, span } from "./store";

export interface Stop {
	timeS: number;
	/** Place of the case in the run. */
	series: number;
	kind: "train" | "bursts" | "probe" | "empty" | "paced" | "full";
	words: string;
	/** `train`, `bursts`: when its ACKs arrived. */
	acksS: number[];
}

/** A shorter time without a packet is no waste that a reader sees. */
const EMPTY_RTTS = 0.3;
/** An algorithm takes a rate from so many ACKs or more. */
const MIN_ACKS = 4;
/** A train is shorter than this. */
const TRAIN_RTTS = 0.7;
/** The gaps of a train explain an estimate that is as near to their rate as this. */
const TRAIN_TOLERANCE = 0.1;
/** ACKs of segments that passed the bottleneck cannot be closer together than it sends them, unless
 * something held them back. Less than this part of that time is such a burst. */
const BURST_SHARE = 0.5;
/** Segments of the initial window (RFC 6928), whose ACKs come first. */
const FIRST_FLIGHT = 10;
/** A probe is shown when it is under way, and so is the cwnd of whoever does not pace. */
const PROBE_RTTS = 0.25;
/** Two captions need some time between them. */
const APART_RTTS = 0.02;

/** The user wants them. */
export const stopsAreOn = signal(true);

/** Those of the run, in order of time. */
export const stops = computed(() => {
	const { fromS, toS } = span.value;
	return run.value ? stopsOf(run.value).filter(({ timeS }) => timeS > fromS && timeS < toS) : [];
});

export function stopsOf(run: Run): Stop[] {
	const { cases } = run;
	const all = cases.flatMap((one, series) => {
		const transfer = one.transfers[0];
		if (!transfer || one.packetInterval > 1) {
			return [];
		}
		const shown = { run, one, transfer };
		const measured = train(shown);
		const found = [
			empty(shown),
			...(measured ? [measured] : hidden(shown)),
			paced(shown),
			full(shown),
		];
		return found.flatMap((stop) => (stop ? [{ acksS: [], ...stop, series }] : []));
	});
	all.sort((a, b) => a.timeS - b.timeS);
	const apartS = APART_RTTS * (cases[0]?.rttS ?? 0);
	return all.map((stop, at) => {
		const before = all[at - 1];
		if (before && stop.timeS < before.timeS + apartS) {
			stop.timeS = before.timeS + apartS;
		}
		return stop;
	});
}

type Found = Omit<Stop, "series" | "acksS"> & { acksS?: number[] };

interface Shown {
	run: Run;
	one: CaseRun;
	transfer: TransferRun;
}

/** Slow start without a measurement: the first long time in which the link sends nothing. */
function empty({ run, one, transfer }: Shown): Found | undefined {
	const link = one.links[one.bottleneck];
	const hasAllData = !transfer.fields.application;
	if (!isSlowStart(transfer) || !link || link.rateVaries || !hasAllData) {
		return undefined;
	}
	const { packets } = one;
	const served = [...packets.servedS.keys()]
		.filter((at) => packets.kind[at] !== PacketKind.Ack)
		.filter((at) => (packets.servedS[at] ?? Number.NaN) >= 0)
		.sort((a, b) => (packets.servedS[a] ?? 0) - (packets.servedS[b] ?? 0));
	let idleS = Number.POSITIVE_INFINITY;
	let segments = 0;
	for (const at of served) {
		const servedS = packets.servedS[at] ?? 0;
		if (servedS - idleS > EMPTY_RTTS * one.rttS) {
			const words =
				`${grouped(segments)} segments, then the link is empty for ` +
				`${duration(servedS - idleS)}: ${nameOf(run, one)} waits for ACKs.`;
			return { kind: "empty", timeS: (idleS + servedS) / 2, words };
		}
		segments += packets.kind[at] === PacketKind.Data ? 1 : 0;
		// The handshake is no data that the link could have carried.
		if (packets.kind[at] !== PacketKind.Control || idleS < Number.POSITIVE_INFINITY) {
			idleS = servedS + (packets.bytes[at] ?? 0) / link.rateBytesPerS;
		}
	}
	return undefined;
}

function isSlowStart({ startup }: TransferRun): boolean {
	return ["none", "standard"].includes(startup);
}

interface Ack {
	atS: number;
	/** Payload that it acknowledges beyond the one before. */
	bytes: number;
}

/** ACKs of data that have arrived at the sender, in order of time. */
function acksOf(one: CaseRun): Ack[] {
	const { packets } = one;
	const arrived = packetsOf(one, PacketKind.Ack)
		.map((at) => ({ atS: packets.arrivedS[at] ?? Number.NaN, to: packets.startByte[at] ?? 0 }))
		.filter(({ atS, to }) => atS >= 0 && to > 0)
		.sort((a, b) => a.atS - b.atS || a.to - b.to);
	return arrived.map(({ atS, to }, at) => ({ atS, bytes: to - (arrived[at - 1]?.to ?? 0) }));
}

/** The ACKs behind the first estimate, where their gaps give that rate. */
function train({ one, transfer }: Shown): Found | undefined {
	const estimate = firstEstimate(transfer);
	if (!estimate) {
		return undefined;
	}
	const acks = acksOf(one).filter(
		({ atS }) => atS <= estimate.timeS && atS > estimate.timeS - TRAIN_RTTS * one.rttS,
	);
	const gaps = acks.slice(1).map(({ atS, bytes }, at) => ({
		gapS: atS - (acks[at]?.atS ?? 0),
		bytes,
	}));
	if (acks.length < MIN_ACKS) {
		return undefined;
	}
	const gapS = median(gaps.map((gap) => gap.gapS));
	const bytes = median(gaps.map((gap) => gap.bytes));
	const rate = estimate.estimateBytesPerS;
	if (!(Math.abs(bytes / gapS / rate - 1) <= TRAIN_TOLERANCE)) {
		return undefined;
	}
	return {
		kind: "train",
		timeS: estimate.timeS,
		words:
			`${acks.length} ACKs, ${duration(gapS)} apart, ` +
			`so the estimate is ${bitRate(rate)}${besideTruth(one, rate)}.`,
		acksS: acks.map(({ atS }) => atS),
	};
}

function firstEstimate({ events }: TransferRun) {
	return events.find((event) => event.kind === "estimate" && event.estimateBytesPerS > 0);
}

/** An estimate that is wrong has the truth beside it. */
function besideTruth(one: CaseRun, rate: number): string {
	const share = rate / one.capacityBytesPerS;
	const policer = policerOf(one);
	if (Math.abs(share - 1) <= TRAIN_TOLERANCE || one.links[one.bottleneck]?.rateVaries) {
		return "";
	}
	return policer && share > 1
		? `: the policer's ${policer} do not show yet`
		: `, ${significant(100 * share, 2)} % of the path's rate`;
}

/** The rate of the policer before the bottleneck, as the scenario has it. */
function policerOf(one: CaseRun): string | undefined {
	return /policer (\S+ \S+bit\/s)/.exec(one.links[one.bottleneck]?.elements ?? "")?.[1];
}

/** Aggregated ACKs, whose gaps hide the rate, and a start-up that probes without a rate. */
function hidden(shown: Shown): Found[] {
	const { one, transfer } = shown;
	const link = one.links[one.bottleneck];
	if (isSlowStart(transfer) || !link) {
		return [];
	}
	const acks = acksOf(one).slice(0, FIRST_FLIGHT);
	const isClose = acks.slice(1).map(({ atS, bytes }, at) => {
		const gapS = atS - (acks[at]?.atS ?? 0);
		return gapS < (BURST_SHARE * bytes) / link.rateBytesPerS;
	});
	const close = isClose.filter(Boolean).length;
	const last = acks.at(-1);
	if (acks.length < MIN_ACKS || !last || 2 * close < isClose.length) {
		return [];
	}
	const bursts = acks.length - close;
	const words =
		`The first ${acks.length} ACKs arrive in ${bursts === 1 ? "one burst" : `${bursts} bursts`}: ` +
		"held back on the way, their gaps show no rate.";
	const found: Found[] = [
		{ kind: "bursts", timeS: last.atS, words, acksS: acks.map(({ atS }) => atS) },
	];
	const probing = probe(shown, last.atS + PROBE_RTTS * one.rttS);
	return probing ? [...found, probing] : found;
}

/** A start-up that grows without a rate, beside one that does not measure. */
function probe({ run, one, transfer }: Shown, timeS: number): Found | undefined {
	const at = countUpTo(transfer.sender.timeS, timeS) - 1;
	const cwnd = transfer.sender.cwndBytes[at] ?? 0;
	const rate = transfer.sender.pacingBytesPerS[at] ?? Number.NaN;
	const plain = plainAt(run, timeS);
	const estimate = firstEstimate(transfer);
	if (!(rate > 0) || !plain || !(cwnd > 2 * plain.cwnd) || (estimate && estimate.timeS <= timeS)) {
		return undefined;
	}
	return {
		kind: "probe",
		timeS,
		words:
			`No rate is known yet: ${nameOf(run, one)} probes with a cwnd of ${byteCount(cwnd)}. ` +
			`${plain.name}'s cwnd is ${byteCount(plain.cwnd)}.`,
	};
}

/** The case without a start-up, and its cwnd at this time. */
function plainAt(run: Run, timeS: number): { name: string; cwnd: number } | undefined {
	const one = run.cases.find((other) => other.transfers[0]?.startup === "none");
	const sender = one?.transfers[0]?.sender;
	const cwnd = sender?.cwndBytes[countUpTo(sender.timeS, timeS) - 1];
	return one && cwnd !== undefined ? { name: nameOf(run, one), cwnd } : undefined;
}

/** A window that no ACK has clocked: what leaves in the first round trip of the pacing. */
function paced({ run, one, transfer }: Shown): Found | undefined {
	const phase = transfer.phases.find(({ name }) => name === "pacing");
	const { sender, rtt } = transfer;
	const at = phase ? countUpTo(sender.timeS, phase.beginS) - 1 : -1;
	const sampleS = phase ? (rtt.minRttS[countUpTo(rtt.timeS, phase.beginS) - 1] ?? one.rttS) : 0;
	if (!phase || !((sender.pacingBytesPerS[at] ?? Number.NaN) > 0)) {
		return undefined;
	}
	const untilS = Math.min(phase.endS, phase.beginS + sampleS);
	const { packets } = one;
	const sent = packetsOf(one, PacketKind.Data).filter((place) => {
		const sentS = packets.sentS[place] ?? Number.NaN;
		return sentS >= phase.beginS && sentS <= untilS;
	});
	if (sent.length < MIN_ACKS) {
		return undefined;
	}
	const bytes = sent.reduce((sum, place) => sum + (packets.payloadBytes[place] ?? 0), 0);
	const plain = plainAt(run, phase.beginS + PROBE_RTTS * one.rttS);
	const beside =
		plain && plain.cwnd < bytes ? ` ${plain.name} may send ${byteCount(plain.cwnd)}.` : "";
	const cwnd = sender.cwndBytes[at] ?? 0;
	// The receive window or the application allowed less.
	const more = 2 * bytes < cwnd ? ` cwnd would allow ${byteCount(cwnd)}.` : "";
	return {
		kind: "paced",
		timeS: phase.beginS + APART_RTTS * one.rttS,
		words:
			`${byteCount(bytes)} leave paced within a round trip` +
			`${besideBdp(one, bytes)}.${more}${beside}`,
	};
}

function besideBdp(one: CaseRun, bytes: number): string {
	const share = bytes / one.bdpBytes;
	const policer = policerOf(one);
	if (one.links[one.bottleneck]?.rateVaries) {
		return "";
	}
	return policer && share > 1
		? `: ${significant(share, 2)} times the BDP at the policer's ${policer}`
		: `: ${Math.round(100 * share)} % of the BDP`;
}

/** The delay has ended the start-up: the RTT stayed high for a round trip. */
function full({ one, transfer }: Shown): Found | undefined {
	const { events, rtt } = transfer;
	const exit = events.find((event) => event.kind === "exit" && event.what === "delay");
	if (!exit) {
		return undefined;
	}
	const last = countUpTo(rtt.timeS, exit.timeS);
	const first = countUpTo(rtt.timeS, exit.timeS - one.rttS);
	const leastS = Math.min(...rtt.rttS.slice(first, last));
	const minS = rtt.minRttS[last - 1] ?? Number.NaN;
	if (last - first < MIN_ACKS || !(leastS > minS)) {
		return undefined;
	}
	const queuedS = leastWaitS(one, exit.timeS - 2 * one.rttS, exit.timeS - one.rttS);
	const stays = `For a round trip the RTT stays at ${duration(leastS)} or more`;
	return {
		kind: "full",
		timeS: exit.timeS,
		words:
			2 * queuedS >= leastS - minS
				? `${stays}, at least ${duration(queuedS)} of it in the queue: full.`
				: `${stays}, ${duration(leastS - minS)} above its minimum: the growth ends.`,
	};
}

/** The shortest wait in the queue of all data that left it in this time; NaN: none did. */
function leastWaitS(one: CaseRun, fromS: number, toS: number): number {
	const { packets } = one;
	const waits = packetsOf(one, PacketKind.Data)
		.filter((at) => {
			const servedS = packets.servedS[at] ?? Number.NaN;
			return servedS > fromS && servedS <= toS;
		})
		.map((at) => (packets.servedS[at] ?? 0) - (packets.enteredS[at] ?? 0));
	return waits.length > 0 ? Math.min(...waits) : Number.NaN;
}

function median(values: number[]): number {
	return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
