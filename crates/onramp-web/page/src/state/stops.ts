/**
 * The moments that explain a run: where an ACK train shows the rate, where the link is empty, where
 * a window leaves paced, and where the delay ends the growth. Play stops there, with a caption.
 */

import { computed, signal } from "@preact/signals";
import { countUpTo } from "../draw/packets";
import { type CaseRun, PacketKind, type Run, type TransferRun } from "../engine/types";
import { bitRate, byteCount, duration } from "../units";
import { run, span } from "./store";

export interface Stop {
	timeS: number;
	/** Place of the case in the run. */
	series: number;
	kind: "train" | "empty" | "paced" | "full";
	words: string;
	/** `train`: when its ACKs arrived. */
	acksS: number[];
}

/** A shorter time without a packet is no waste that a reader sees. */
const EMPTY_RTTS = 0.3;
/** An algorithm takes a rate from so many ACKs or more. */
const MIN_ACKS = 4;
/** A train is shorter than this. */
const TRAIN_RTTS = 0.7;
/** Two captions need some time between them. */
const APART_RTTS = 0.02;

/** The user wants them. */
export const stopsAreOn = signal(true);

/** Those of the run, in order of time. */
export const stops = computed(() => {
	const { fromS, toS } = span.value;
	return run.value ? stopsOf(run.value).filter(({ timeS }) => timeS > fromS && timeS < toS) : [];
});

export function stopsOf({ cases }: Run): Stop[] {
	const all = cases.flatMap((one, series) => {
		const transfer = one.transfers[0];
		if (!transfer) {
			return [];
		}
		const found = [
			empty(one, transfer),
			train(one, transfer),
			paced(one, transfer),
			full(transfer),
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

/** Slow start without a measurement: the first long time in which the link sends nothing. */
function empty(one: CaseRun, transfer: TransferRun): Found | undefined {
	const link = one.links[one.bottleneck];
	const isSlowStart = ["none", "standard"].includes(transfer.startup);
	if (!isSlowStart || !link || link.rateVaries || one.packetInterval > 1) {
		return undefined;
	}
	const { packets } = one;
	const served = [...packets.servedS.keys()]
		.filter((at) => isOfTransfer(one, at) && packets.kind[at] === PacketKind.Data)
		.filter((at) => (packets.servedS[at] ?? Number.NaN) >= 0)
		.sort((a, b) => (packets.servedS[a] ?? 0) - (packets.servedS[b] ?? 0));
	let idleS = Number.POSITIVE_INFINITY;
	for (const at of served) {
		const servedS = packets.servedS[at] ?? 0;
		if (servedS - idleS > EMPTY_RTTS * one.rttS) {
			const words = `The link is empty for ${duration(servedS - idleS)}: wasted.`;
			return { kind: "empty", timeS: (idleS + servedS) / 2, words };
		}
		idleS = servedS + (packets.bytes[at] ?? 0) / link.rateBytesPerS;
	}
	return undefined;
}

/** The ACKs behind the first estimate. */
function train(one: CaseRun, transfer: TransferRun): Found | undefined {
	const estimate = transfer.events.find(
		(event) => event.kind === "estimate" && event.estimateBytesPerS > 0,
	);
	if (!estimate || one.packetInterval > 1) {
		return undefined;
	}
	const { packets } = one;
	const acksS = [...packets.arrivedS.keys()]
		.filter((at) => isOfTransfer(one, at) && packets.kind[at] === PacketKind.Ack)
		.filter((at) => (packets.startByte[at] ?? 0) > 0)
		.map((at) => packets.arrivedS[at] ?? Number.NaN)
		.filter((atS) => atS <= estimate.timeS && atS > estimate.timeS - TRAIN_RTTS * one.rttS)
		.sort((a, b) => a - b);
	if (acksS.length < MIN_ACKS) {
		return undefined;
	}
	const gaps = acksS.slice(1).map((atS, at) => atS - (acksS[at] ?? 0));
	const gapS = gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0;
	const rate = bitRate(estimate.estimateBytesPerS);
	return {
		kind: "train",
		timeS: estimate.timeS,
		words: `${acksS.length} ACKs, ${duration(gapS)} apart, so the rate is ${rate}.`,
		acksS,
	};
}

/** A window that no ACK has clocked. */
function paced(one: CaseRun, transfer: TransferRun): Found | undefined {
	const phase = transfer.phases.find(({ name }) => name === "pacing");
	const { sender } = transfer;
	const at = phase ? countUpTo(sender.timeS, phase.beginS) - 1 : -1;
	const [cwnd, rate] = [sender.cwndBytes[at] ?? 0, sender.pacingBytesPerS[at] ?? Number.NaN];
	if (!phase || !(cwnd > 0) || !(rate > 0)) {
		return undefined;
	}
	const share = Math.round((100 * cwnd) / one.bdpBytes);
	return {
		kind: "paced",
		timeS: phase.beginS + APART_RTTS * one.rttS,
		words: `${byteCount(cwnd)}, ${share} % of the BDP, leave paced within a round trip.`,
	};
}

const inWords = (rtt: string, queued: string) =>
	`The RTT stays at ${rtt}, ${queued} of it in the queue: full.`;

/** The delay has ended the start-up. */
function full({ events, rtt }: TransferRun): Found | undefined {
	const exit = events.find((event) => event.kind === "exit" && event.what === "delay");
	const at = exit ? countUpTo(rtt.timeS, exit.timeS) - 1 : -1;
	const [nowS, minS] = [rtt.rttS[at] ?? Number.NaN, rtt.minRttS[at] ?? Number.NaN];
	return exit && nowS > minS
		? {
				kind: "full",
				timeS: exit.timeS,
				words: inWords(duration(nowS), duration(nowS - minS)),
			}
		: undefined;
}

function isOfTransfer(one: CaseRun, at: number): boolean {
	return one.flows[one.packets.flow[at] ?? 0]?.transfer === 0;
}
