/** Results and moments in words, for all readers and for screen readers. */

import type { CaseRun, Run, StartupEvent, TransferRun } from "../engine/types";
import { valueAtTime } from "../plots/columns";
import { bitRate, byteCount, decimal, duration, grouped } from "../units";
import { comparison } from "./headline";
import { areAlike, nameOf } from "./names";
import { type Evidence, evidenceAt, wordsOf } from "./probing";
import { completionS, type Seeds } from "./seeds";

/** What a sender believes and does at a time. */
export interface Moment {
	phase: string;
	/** What the phase does; empty without a start-up. */
	phaseDoes: string;
	/** When the phase began, since the connect. */
	phaseBeganS: number;
	estimateBytesPerS: number;
	/** What stands for an estimate until there is one. */
	evidence: Evidence | undefined;
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
	const [name, does] = namedPhase(phase ? wordsOf(transfer, phase) : "");
	const past = events.filter((event) => event.timeS <= timeS);
	const estimateBytesPerS =
		past.findLast((event) => event.estimateBytesPerS > 0)?.estimateBytesPerS ?? Number.NaN;
	return {
		phase: name || "Connecting",
		phaseDoes: does,
		phaseBeganS: (phase?.beginS ?? transfer.startS) - transfer.startS,
		estimateBytesPerS,
		evidence: evidenceAt(transfer, timeS),
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

/** `5 MB in 3.91 s, 1.2 round trips wasted, no segments retransmitted`. */
export function resultInWords(transfer: TransferRun): string {
	const { fields } = transfer;
	const size = byteCount(Number(fields.size_bytes));
	if (fields.completion_s === null || fields.completion_s === undefined) {
		return `${byteCount(Number(fields.delivered_bytes))} of ${size}, not finished`;
	}
	const again = Number(fields.retransmitted_segments);
	const parts = [
		`${size} in ${duration(Number(fields.completion_s))}`,
		`${decimal(Number(fields.excess_rtts))} round trips wasted`,
		`${again === 0 ? "no" : grouped(again)} segments retransmitted`,
	];
	return parts.join(", ");
}

/** `2.76 s, 1.2 round trips wasted, none retransmitted`: for a list of many. */
export function resultInBrief({ fields }: TransferRun): string {
	if (typeof fields.completion_s !== "number") {
		return "not finished";
	}
	const again = Number(fields.retransmitted_segments);
	return [
		duration(fields.completion_s),
		`${decimal(Number(fields.excess_rtts))} round trips wasted`,
		`${again === 0 ? "none" : grouped(again)} retransmitted`,
	].join(", ");
}

/** Exits of a start-up that left the transfer to the host's own slow start. */
const LEFT = new Set(["path", "governed", "unreserved", "application", "receiver", "broken"]);

/** The result of a case, with the reason of a start-up that did nothing. */
export function caseInWords(run: Run, one: CaseRun): string {
	const transfer = one.transfers[0];
	if (!transfer) {
		return "";
	}
	const exit = transfer.events.find((event) => event.kind === "exit");
	const others = run.cases.filter((other) => other !== one && areAlike([one, other]));
	const isSame =
		transfer.startup !== "none" && others.some((other) => completionS(other) === completionS(one));
	const reason = exit && (LEFT.has(exit.what) || isSame) ? reasonOf(exit) : "";
	return [resultInWords(transfer), reason].filter(Boolean).join("; ");
}

/** `The start-up ended: because. cwnd 14 kB.`, with its time and without the window. */
function reasonOf({ words }: StartupEvent): string {
	return words.replace(/\. cwnd [^.]*(\.\d+)?[^.]*\.$/, "").replace(/^The/, "the");
}

/** The result of all cases, in sentences. `seeds`: its repetitions, where it has chance. */
export function runInWords(run: Run, seeds?: Seeds): string {
	const results = run.cases.map((one) => `${nameOf(run, one)}: ${caseInWords(run, one)}.`);
	return [...results, comparison(run, seeds)].filter(Boolean).join(" ");
}

/** The warnings in one paragraph. One that all cases have stands there once, without names. */
export function warningsInWords({ cases, warnings }: Run): string {
	const titles = cases.map((one) => `${one.title}: `);
	const counts = new Map<string, number>();
	const texts = warnings.map((warning) => {
		const title = titles.find((one) => warning.startsWith(one)) ?? "";
		const text = warning.slice(title.length);
		counts.set(text, (counts.get(text) ?? 0) + 1);
		return { warning, text };
	});
	const shown = texts.map(({ warning, text }) => {
		const sentence = text.charAt(0).toUpperCase() + text.slice(1);
		return counts.get(text) === cases.length ? sentence : warning;
	});
	return [...new Set(shown)].map((one) => (one.endsWith(".") ? one : `${one}.`)).join(" ");
}
