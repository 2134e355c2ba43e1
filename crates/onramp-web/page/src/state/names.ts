/** Names of cases: what tells each from the others, in the words of the project's reports. */

import type { CaseRun, Run, TransferRun } from "../engine/types";
import { bitRate, byteCount, duration } from "../units";

type Field = TransferRun["fields"][string];

/** Conditions that a scenario may list, as crates/onramp-report/src/condition.rs names them. */
const CONDITIONS: [name: string, words: (value: Field) => string][] = [
	["size_bytes", (value) => byteCount(Number(value))],
	["rate_bits_per_s", (value) => bitRate(Number(value) / 8)],
	["rtt_ms", (value) => duration(Number(value) / 1e3)],
	["queue", (value) => `queue ${value}`],
	["receiver_buffer", (value) => `receive buffer ${value}`],
	["loss", (value) => `loss ${value}`],
	["path", (value) => String(value) || "plain path"],
	["sender_buffer", (value) => `send buffer ${value}`],
	["application", (value) => `application writes ${value || "all at once"}`],
	["run", (value) => `run ${value}`],
];

/** The name of a case: its algorithms, and what else differs from cases with the same ones. */
export function nameOf(run: Run, one: CaseRun): string {
	const same = run.cases.filter((other) => other.algorithms === one.algorithms);
	const parts = differing(same).map(([name, words]) => words(fieldOf(one, name)));
	const own = [one.algorithms, ...parts].join(", ");
	const isAlone =
		same.length === 1 || new Set(same.map((other) => key(other, same))).size === same.length;
	return isAlone ? own : `${own}, case ${one.number}`;
}

/** All cases send the same bytes on the same path. */
export function areAlike(cases: CaseRun[]): boolean {
	return differing(cases).every(([name]) => name === "run");
}

export function haveSameSize(cases: CaseRun[]): boolean {
	return new Set(cases.map((one) => fieldOf(one, "size_bytes"))).size <= 1;
}

function differing(cases: CaseRun[]) {
	return CONDITIONS.filter(([name]) => new Set(cases.map((one) => fieldOf(one, name))).size > 1);
}

function key(one: CaseRun, cases: CaseRun[]): string {
	return differing(cases)
		.map(([name]) => String(fieldOf(one, name)))
		.join("\n");
}

function fieldOf(one: CaseRun, name: string): Field {
	return one.transfers[0]?.fields[name] ?? null;
}
