/**
 * How much of a result is chance: where a scenario has random elements, it runs with 25 seeds in
 * the background. They are those of `repeat = 25` on the command line, and the first is the run
 * that the page shows.
 */

import { effect, signal } from "@preact/signals";
import type { Engine } from "../engine/client";
import type { CaseRun, Run } from "../engine/types";
import { chanceOf } from "./chance";
import { areAlike } from "./names";
import { edited, parsed, tablesAt } from "./scenario";
import { ranText, run, scenarioText } from "./store";

export const SEEDS = 25;
/** Fewer packets than one large run has. More would keep a phone busy for minutes. */
const MAX_PACKETS = 5_000_000;

export interface Seeds {
	/** The run whose repetitions they are. */
	of: Run;
	/** Completion times of each repetition so far, in the order of the cases; NaN: not finished. */
	timesS: number[][];
}

/** `undefined`: nothing is left to chance, or the runs cannot be compared. */
export const seeds = signal<Seeds | undefined>(undefined);

/** The time of a start-up as a share of another one's. */
export interface Spread {
	median: number;
	least: number;
	most: number;
	/** Seeds with which both finished. */
	count: number;
}

/** Runs the other seeds after each run that has chance. */
export function startSeeds(engine: Promise<Engine>): void {
	effect(() => {
		const { value } = run;
		const abort = new AbortController();
		seeds.value = undefined;
		if (value && scenarioText.value === ranText.value && isRepeated(value, ranText.value)) {
			void runSeeds(engine, value, ranText.peek(), abort.signal);
		}
		return () => abort.abort();
	});
}

/** The scenario with so many repetitions of each transfer. */
export function repeated(text: string): string {
	return tablesAt(parsed(text), "transfer").reduce(
		(one, _, at) => edited(one, ["transfer", at, "repeat"], SEEDS),
		text,
	);
}

/** The spread of a case beside another one; `undefined`: no seed finished both. */
export function spreadOf({ timesS }: Seeds, one: number, other: number): Spread | undefined {
	const ratios = timesS
		.map((times) => (times[one] ?? Number.NaN) / (times[other] ?? Number.NaN))
		.filter((ratio) => !Number.isNaN(ratio))
		.sort((a, b) => a - b);
	const [least, most] = [ratios[0], ratios.at(-1)];
	const [low, high] = [ratios[(ratios.length - 1) >> 1], ratios[ratios.length >> 1]];
	return least === undefined || most === undefined || low === undefined || high === undefined
		? undefined
		: { median: (low + high) / 2, least, most, count: ratios.length };
}

/** Whether the page runs the other seeds of this result. */
export function isRepeated(value: Run, text: string): boolean {
	const packets = value.cases.reduce(
		(sum, one) => sum + one.packets.sentS.length * one.packetInterval,
		0,
	);
	return (
		value.cases.length > 1 &&
		areAlike(value.cases) &&
		value.cases.every((one) => one.run === 1) &&
		chanceOf(parsed(text)).length > 0 &&
		SEEDS * packets <= MAX_PACKETS
	);
}

async function runSeeds(
	engine: Promise<Engine>,
	of: Run,
	text: string,
	signal: AbortSignal,
): Promise<void> {
	const timesS = [of.cases.map(completionS)];
	const scenario = repeated(text);
	seeds.value = { of, timesS };
	try {
		const started = await engine;
		for (let number = 2; number <= SEEDS; number += 1) {
			timesS.push(await started.completionTimes(scenario, number, signal));
			if (signal.aborted) {
				return;
			}
			seeds.value = { of, timesS: [...timesS] };
		}
	} catch {
		// Another run has begun, or a seed exceeds a limit: the headline keeps to the shown run.
		if (!signal.aborted) {
			seeds.value = undefined;
		}
	}
}

/** Completion time of the first transfer; NaN: not finished. */
export function completionS(one: CaseRun | undefined): number {
	const value = one?.transfers[0]?.fields.completion_s;
	return typeof value === "number" ? value : Number.NaN;
}
