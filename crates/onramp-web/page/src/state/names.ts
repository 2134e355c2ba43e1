/**
 * Names of algorithms and cases. A case is named by what tells it from the others: by its start-up,
 * or without one by its congestion avoidance, `CUBIC`.
 */

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

const AVOIDANCES: Record<string, string> = {
	cubic: "CUBIC",
	bbr: "BBR",
	bbr3: "BBRv3",
	reno: "Reno",
	vegas: "Vegas",
	westwood: "Westwood+",
	pipe: "Pipe",
	dctcp: "DCTCP",
	prague: "Prague",
};
/** Avoidances that start by slow start themselves, so that the start-up `standard` changes nothing
 * (docs/algorithms/standard.md). */
const OWN_SLOW_START = ["cubic", "reno"];

/** `CUBIC`: a congestion avoidance as its authors write it. */
export function avoidanceName(name: string): string {
	return AVOIDANCES[name] ?? name;
}

/** A start-up in a menu: without one, its avoidance starts. */
export function startupName(name: string, avoidance: string): string {
	return name === "none"
		? avoidanceName(avoidance)
		: name === "standard" && OWN_SLOW_START.includes(avoidance)
			? `${avoidanceName(avoidance)} (standard)`
			: name;
}

const GROUPS: [label: string, names: string[]][] = [
	["Onramp", ["onramp"]],
	["Slow start", ["none", "standard"]],
	["The papers", ["paced", "hoe", "astart", "pair", "spaced", "gamma", "qos"]],
];

/** Start-ups in the order of menus, in groups: `onramp` is first. */
export function grouped(names: readonly string[]): { label: string; names: string[] }[] {
	const placed = GROUPS.flatMap(([, members]) => members);
	const others = names.filter((name) => !placed.includes(name));
	return [...GROUPS, ["Other start-ups", others] as const]
		.map(([label, members]) => ({
			label,
			names: members.filter((name) => names.includes(name)),
		}))
		.filter((group) => group.names.length > 0);
}

/** The name of a case: its algorithms, and what else differs from cases with the same ones. */
export function nameOf(run: Run, one: CaseRun): string {
	const name = algorithmsOf(run, one);
	const same = run.cases.filter((other) => algorithmsOf(run, other) === name);
	const parts = differing(same).map(([name, words]) => words(fieldOf(one, name)));
	const own = [name, ...parts].join(", ");
	const isAlone =
		same.length === 1 || new Set(same.map((other) => key(other, same))).size === same.length;
	return isAlone ? own : `${own}, case ${one.number}`;
}

/** The algorithms of a case, as short as the other cases allow. */
function algorithmsOf({ cases }: Run, one: CaseRun): string {
	const startup = String(fieldOf(one, "startup"));
	const avoidance = String(fieldOf(one, "avoidance"));
	const recorded = startup === "none" ? avoidance : `${startup} + ${avoidance}`;
	if (!one.algorithms.startsWith(recorded)) {
		// The scenario has a label of its own.
		return one.algorithms;
	}
	const name = avoidanceName(avoidance);
	const isOneOfMany = new Set(cases.map((other) => fieldOf(other, "avoidance"))).size > 1;
	const isStandard = startup === "standard" && OWN_SLOW_START.includes(avoidance);
	const isBesidePlain = cases.some(
		(other) => fieldOf(other, "startup") === "none" && fieldOf(other, "avoidance") === avoidance,
	);
	const short =
		startup === "none" || (isStandard && !isBesidePlain)
			? name
			: isOneOfMany || startup === "standard"
				? `${startup} + ${name}`
				: startup;
	return short + one.algorithms.slice(recorded.length);
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
