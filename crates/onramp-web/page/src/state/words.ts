/** Results and moments in words, for all readers and for screen readers. */

import type { CaseRun, Run, StartupEvent, TransferRun } from "../engine/types";
import { valueAtTime } from "../plots/columns";
import { bitRate, byteCount, duration, significant } from "../units";

/** The name of a case: its algorithms, if they tell it from the others. */
export function nameOf(run: Run, one: CaseRun): string {
	const same = run.cases.filter((other) => other.algorithms === one.algorithms);
	return same.length > 1 ? `${one.algorithms}, case ${one.number}` : one.algorithms;
}

/** What a sender believes and does at a time. */
export interface Moment {
	phase: string;
	/** What the phase does; empty without a start-up. */
	phaseDoes: string;
	/** When the phase began, since the connect. */
	phaseBeganS: number;
	estimateBytesPerS: number;
	/** Estimate x min RTT. */
	estimatedBdpBytes: number;
	cwndBytes: number;
	ssthreshBytes: number;
	inflightBytes: number;
	pacingBytesPerS: number;
	receivedBytes: number;
	exit: StartupEvent | undefined;
	isDone: boolean;
}

export function momentOf(transfer: TransferRun, timeS: number): Moment {
	const { sender, rtt, receiver, events, phases } = transfer;
	const at = (time: ArrayLike<number>, value: ArrayLike<number>) =>
		valueAtTime({ timeS: time, value, untilS: Number.POSITIVE_INFINITY }, timeS);
	const phase = phases.findLast((one) => one.beginS <= timeS);
	const [name, does] = namedPhase(phase?.words ?? "");
	const past = events.filter((event) => event.timeS <= timeS);
	const estimateBytesPerS =
		past.findLast((event) => event.estimateBytesPerS > 0)?.estimateBytesPerS ?? Number.NaN;
	return {
		phase: name || "Connecting",
		phaseDoes: does,
		phaseBeganS: (phase?.beginS ?? transfer.startS) - transfer.startS,
		estimateBytesPerS,
		estimatedBdpBytes: estimateBytesPerS * at(rtt.timeS, rtt.minRttS),
		cwndBytes: at(sender.timeS, sender.cwndBytes),
		ssthreshBytes: at(sender.timeS, sender.ssthreshBytes),
		inflightBytes: at(sender.timeS, sender.inflightBytes),
		pacingBytesPerS: at(sender.timeS, sender.pacingBytesPerS),
		receivedBytes: at(receiver.timeS, receiver.receivedBytes) || 0,
		exit: past.find((event) => event.kind === "exit"),
		isDone: timeS >= transfer.completedS,
	};
}

/** `Slow start: cwnd grows ...`: the name of the phase, and what it does. */
export function namedPhase(words: string): [name: string, does: string] {
	const [name = "", ...does] = words.split(": ");
	return [name, does.join(": ")];
}

/** A moment as a sentence. */
export function momentInWords(name: string, moment: Moment): string {
	if (moment.isDone) {
		return `${name}: complete.`;
	}
	const parts = [
		moment.phase,
		Number.isNaN(moment.cwndBytes) ? "" : `cwnd ${byteCount(moment.cwndBytes)}`,
		Number.isNaN(moment.inflightBytes) ? "" : `${byteCount(moment.inflightBytes)} in flight`,
		Number.isNaN(moment.pacingBytesPerS) ? "" : `paced at ${bitRate(moment.pacingBytesPerS)}`,
	];
	return `${name}: ${parts.filter(Boolean).join(", ")}.`;
}

/** `5 MB in 3.91 s, 1.2 round trips wasted, none retransmitted`. */
export function resultInWords(transfer: TransferRun): string {
	const { fields } = transfer;
	const size = byteCount(Number(fields.size_bytes));
	if (fields.completion_s === null || fields.completion_s === undefined) {
		return `${byteCount(Number(fields.delivered_bytes))} of ${size}, not finished`;
	}
	const { retransmitted_segments: again } = fields;
	const parts = [
		`${size} in ${duration(Number(fields.completion_s))}`,
		`${significant(Number(fields.excess_rtts), 2)} round trips wasted`,
		`${again === 0 ? "no" : again} segments retransmitted`,
	];
	return parts.join(", ");
}

/** The result of all cases, in sentences. */
export function runInWords(run: Run): string {
	const results = run.cases.flatMap((one) => {
		const transfer = one.transfers[0];
		return transfer ? [`${nameOf(run, one)}: ${resultInWords(transfer)}.`] : [];
	});
	return [...results, comparison(run)].filter(Boolean).join(" ");
}

/** The second case against the first. */
export function comparison(run: Run): string {
	const [first, second] = run.cases;
	const timeOf = (one: CaseRun | undefined) => {
		const value = one?.transfers[0]?.fields.completion_s;
		return typeof value === "number" ? value : Number.NaN;
	};
	const change = timeOf(second) / timeOf(first) - 1;
	if (!first || !second || run.cases.length !== 2 || Number.isNaN(change)) {
		return "";
	}
	const percent = Math.round(100 * Math.abs(change));
	const [one, other] = [nameOf(run, second), nameOf(run, first)];
	return percent === 0
		? `${one} takes the same time as ${other}.`
		: `${one} takes ${percent} % ${change < 0 ? "less" : "more"} time than ${other}.`;
}
