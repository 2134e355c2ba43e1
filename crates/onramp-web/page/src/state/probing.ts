/** Start-ups that pace before they have measured a rate: what they know by then. */

import type { Phase, TransferRun } from "../engine/types";

/** The name of that phase, which records call slow start, and what it does. */
const PROBING = "Probing: grows and paces before a rate is measured";

/** `Slow start: cwnd grows ...`: what a phase is called. */
export function wordsOf(transfer: TransferRun, phase: Phase): string {
	return phase.name === "slow-start" && pacesBlindly(transfer, phase) ? PROBING : phase.words;
}

function pacesBlindly(transfer: TransferRun, { beginS, endS }: Phase): boolean {
	const { timeS, pacingBytesPerS } = transfer.sender;
	const untilS = Math.min(endS, measuredS(transfer));
	return timeS.some(
		(atS, at) => atS >= beginS && atS < untilS && (pacingBytesPerS[at] ?? Number.NaN) > 0,
	);
}

/** When the first rate was measured; infinite: never. */
function measuredS({ events }: TransferRun): number {
	return events.find((one) => one.estimateBytesPerS > 0)?.timeS ?? Number.POSITIVE_INFINITY;
}

/** What a sender knows of the rate without an estimate. */
export interface Evidence {
	/** The path has carried this for a round trip. */
	deliveredBytesPerS: number;
	/** The rate at which it sends to find out more; NaN: it is not paced. */
	triedBytesPerS: number;
}

/** The evidence at a time; `undefined`: it has an estimate, or no ACK has come yet. */
export function evidenceAt(transfer: TransferRun, timeS: number): Evidence | undefined {
	const { sender } = transfer;
	if (measuredS(transfer) <= timeS) {
		return undefined;
	}
	let delivered = 0;
	let tried = Number.NaN;
	for (const [at, atS] of sender.timeS.entries()) {
		if (atS > timeS) {
			break;
		}
		delivered = Math.max(delivered, sender.deliveryBytesPerS[at] ?? 0);
		tried = sender.pacingBytesPerS[at] ?? Number.NaN;
	}
	return delivered > 0 ? { deliveredBytesPerS: delivered, triedBytesPerS: tried } : undefined;
}
