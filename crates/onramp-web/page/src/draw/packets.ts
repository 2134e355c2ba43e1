/** Which packets are on their way at a time, and where. */

import { type CaseRun, PacketKind, type Packets } from "../engine/types";

/** The places of the first transfer's packets of a kind, in the order of sending. */
export function packetsOf({ flows, packets }: CaseRun, kind: number): number[] {
	return [...packets.kind.keys()].filter(
		(at) => packets.kind[at] === kind && flows[packets.flow[at] ?? 0]?.transfer === 0,
	);
}

/** Finds the packets that are on their way without looking at all of them. */
export class Flights {
	private readonly sentS: Float64Array;
	/** The latest end of all packets up to each. */
	private readonly latestEndS: Float64Array;
	/** When each packet arrives or is dropped; infinite where the run ended before. */
	readonly endS: Float64Array;
	/** Times of drops, in order. */
	readonly dropsS: Float64Array;
	/** The dropped packets, in the same order. */
	readonly dropped: Uint32Array;

	constructor(packets: Packets) {
		const count = packets.sentS.length;
		this.sentS = packets.sentS;
		this.endS = new Float64Array(count);
		this.latestEndS = new Float64Array(count);
		const dropped: number[] = [];
		let latest = Number.NEGATIVE_INFINITY;
		for (let at = 0; at < count; at += 1) {
			const droppedS = packets.droppedS[at] ?? Number.NaN;
			const arrivedS = packets.arrivedS[at] ?? Number.NaN;
			const end = droppedS >= 0 ? droppedS : arrivedS >= 0 ? arrivedS : Number.POSITIVE_INFINITY;
			if (droppedS >= 0) {
				dropped.push(at);
			}
			latest = Math.max(latest, end);
			this.endS[at] = end;
			this.latestEndS[at] = latest;
		}
		dropped.sort((a, b) => (packets.droppedS[a] ?? 0) - (packets.droppedS[b] ?? 0));
		this.dropped = Uint32Array.from(dropped);
		this.dropsS = Float64Array.from(dropped, (at) => packets.droppedS[at] ?? 0);
	}

	/** The packets that have been sent and have not yet arrived, in the order of sending. */
	*at(timeS: number): Generator<number> {
		const end = countUpTo(this.sentS, timeS);
		for (let at = countUpTo(this.latestEndS, timeS); at < end; at += 1) {
			if ((this.endS[at] ?? 0) > timeS) {
				yield at;
			}
		}
	}
}

/** How many of the ascending numbers are `limit` or less. */
export function countUpTo(ascending: ArrayLike<number>, limit: number): number {
	let from = 0;
	let to = ascending.length;
	while (from < to) {
		const middle = (from + to) >> 1;
		if ((ascending[middle] ?? 0) <= limit) {
			from = middle + 1;
		} else {
			to = middle;
		}
	}
	return from;
}

/** The parts of the way of a packet, in the order in which it passes them. */
export type Place =
	/** From the sender to the drawn queue: 0 to 1. */
	| { part: "before"; share: number }
	| { part: "queue" }
	/** On the drawn link: its first and its last bit, 0 to 1. */
	| { part: "link"; head: number; tail: number }
	/** From the drawn link to the receiver: 0 to 1. */
	| { part: "after"; share: number };

/** Where a packet is; it is on its way at this time. */
export function placeOf(one: CaseRun, at: number, timeS: number): Place {
	const { packets } = one;
	const isBack = packets.kind[at] === PacketKind.Ack;
	const link = isBack ? one.returnLinks[one.returnBottleneck] : one.links[one.bottleneck];
	const sentS = packets.sentS[at] ?? 0;
	const enteredS = packets.enteredS[at] ?? Number.NaN;
	const servedS = packets.servedS[at] ?? Number.NaN;
	const departedS = packets.departedS[at] ?? Number.NaN;
	// NaN compares as false: what has no time has not happened.
	if (timeS >= departedS) {
		const arrivedS = packets.arrivedS[at] ?? Number.NaN;
		return { part: "after", share: share(timeS, departedS, arrivedS) };
	}
	if (timeS >= servedS) {
		const wholeS = (departedS >= servedS ? departedS : Number.POSITIVE_INFINITY) - servedS;
		const rate = link?.rateVaries ? Number.POSITIVE_INFINITY : (link?.rateBytesPerS ?? 1);
		const transmissionS = Math.min(wholeS, (packets.bytes[at] ?? 0) / rate);
		// Jitter and aggregation hold packets at the far end of the link.
		const delayS = Math.max(1e-9, Math.min(link?.delayS ?? 0, wholeS - transmissionS));
		const passedS = timeS - servedS;
		return {
			part: "link",
			head: Math.min(1, passedS / delayS),
			tail: Math.min(1, Math.max(0, (passedS - transmissionS) / delayS)),
		};
	}
	if (timeS >= enteredS) {
		return { part: "queue" };
	}
	return { part: "before", share: share(timeS, sentS, enteredS) };
}

function share(timeS: number, fromS: number, toS: number): number {
	return toS > fromS ? Math.min(1, (timeS - fromS) / (toS - fromS)) : 0;
}
