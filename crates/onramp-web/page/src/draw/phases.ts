/**
 * Colours of phases, in groups: a start-up grows, is paced by a measurement, waits, repairs, or is
 * over. The words stand beside the colours.
 */

import type { Palette } from "./palette";

const GROUPS: [string, string[]][] = [
	["grow", ["slow-start", "probe", "linear", "conservative"]],
	["pace", ["pacing", "approach", "reserved"]],
	["wait", ["hold", "drain", "rest"]],
	["repair", ["retreat", "repair"]],
];

/** Name of the group of a phase; `over` for those in which congestion avoidance owns cwnd. */
export function groupOfPhase(name: string): string {
	return GROUPS.find(([, names]) => names.includes(name))?.[0] ?? "over";
}

export function colourOfPhase(palette: Palette, name: string): string {
	return palette.phases[groupOfPhase(name)] ?? palette.rule;
}
