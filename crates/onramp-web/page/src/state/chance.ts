/** Whether a run is one of many: another seed gives other results. */

import type { TomlTable, TomlValue } from "./scenario";

/** Keys of docs/reference/scenario-keys.md that draw random numbers, and what to call them. */
const ALWAYS: Record<string, string> = {
	loss: "random loss",
	bursts: "loss in bursts",
	duplicate: "duplicates",
	jitter: "jitter",
	late: "late timers",
	steps: "a rate that changes",
};
const WITH_VALUE: Record<string, [values: TomlValue[], words: string]> = {
	aggregate_slots: [[true], "aggregation"],
	service: [["poisson"], "random service"],
	trace_offset: [["random"], "a random part of the recording"],
	discipline: [["red"], "RED"],
	kind: [["poisson", "on-off"], "random traffic"],
};

/** What is left to chance in a scenario, in words; empty: nothing. */
export function chanceOf(table: TomlTable): string[] {
	const found = new Set<string>();
	collect(table, found);
	return [...found];
}

function collect(table: TomlTable, found: Set<string>): void {
	for (const [name, value] of Object.entries(table)) {
		const always = ALWAYS[name];
		if (always && !isNothing(value)) {
			found.add(always);
		}
		const [wanted, words] = WITH_VALUE[name] ?? [];
		const values = Array.isArray(value) ? value : [value];
		if (words && values.some((one) => wanted?.includes(one))) {
			found.add(words);
		}
		for (const inner of values) {
			if (typeof inner === "object" && inner !== null) {
				collect(inner as TomlTable, found);
			}
		}
	}
}

/** `0 %`, or a list of nothing else. */
function isNothing(value: TomlValue): boolean {
	const values = Array.isArray(value) ? value : [value];
	return values.every((one) => typeof one === "string" && Number.parseFloat(one) === 0);
}
