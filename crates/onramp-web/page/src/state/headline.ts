/** What the cases of a run say together: which is first, and by how much. */

import type { CaseRun, Run } from "../engine/types";
import { duration } from "../units";
import { areAlike, haveSameSize, nameOf } from "./names";
import { completionS, SEEDS, type Seeds, type Spread, spreadOf } from "./seeds";

/** The headline of a run; empty: nothing. `seeds`: its repetitions, where it has chance. */
export function comparison(run: Run, seeds?: Seeds): string {
	const { cases } = run;
	if (cases.length < 2) {
		return "";
	}
	const sizes = haveSameSize(cases) ? "" : " of different sizes";
	const isComparable = cases.length === 2 ? haveSameSize(cases) : areAlike(cases);
	if (!isComparable || cases.some((one) => Number.isNaN(completionS(one)))) {
		return `${cases.length} runs${sizes}.`;
	}
	const ofOne = cases.length === 2 ? ofTwo(run) : ofMany(run);
	if (seeds?.of !== run) {
		return ofOne;
	}
	const ran = seeds.timesS.length;
	return ran < SEEDS
		? `With this seed: ${ofOne} ${ran} of ${SEEDS} seeds have run.`
		: ofSeeds(run, seeds);
}

/** Places of the cases, the fastest first; those that did not finish come last. */
export function ranked({ cases }: Run): number[] {
	const timeS = (place: number) => {
		const value = completionS(cases[place]);
		return Number.isNaN(value) ? Number.MAX_VALUE : value;
	};
	return [...cases.keys()].sort((a, b) => timeS(a) - timeS(b) || a - b);
}

/** Start-ups with their places: a race of more than two by their times. */
export function inOrder(run: Run): { one: CaseRun; series: number }[] {
	const places = run.cases.length > 2 ? ranked(run) : [...run.cases.keys()];
	return places.flatMap((series) => {
		const one = run.cases[series];
		return one ? [{ one, series }] : [];
	});
}

/** Place of the case that the others are compared with: one without a start-up, or the first. */
function baseOf({ cases }: Run): number {
	const place = cases.findIndex(({ startup }) => startup === "none");
	return place >= 0
		? place
		: Math.max(
				0,
				cases.findIndex(({ startup }) => startup === "standard"),
			);
}

function ofTwo(run: Run): string {
	const base = baseOf(run);
	const [one, other] = [run.cases[1 - base], run.cases[base]];
	if (!one || !other) {
		return "";
	}
	const share = completionS(one) / completionS(other);
	return `${nameOf(run, one)} takes ${timeBeside(share, nameOf(run, other))}.`;
}

function ofMany(run: Run): string {
	const order = ranked(run).flatMap((place) => run.cases[place] ?? []);
	const [first, second] = order;
	if (!first || !second) {
		return "";
	}
	const [firstS, secondS] = [completionS(first), completionS(second)];
	const count = order.length;
	if (order.every((one) => completionS(one) === firstS)) {
		return `All ${count} take the same time.`;
	}
	const ties = order.filter((one) => completionS(one) === firstS).map((one) => nameOf(run, one));
	if (ties.length > 1) {
		return `${inWords(ties)} are first of ${count}, after ${duration(firstS)}.`;
	}
	const percent = Math.round(100 * (1 - firstS / secondS));
	const share = percent > 0 ? ` (${percent} %)` : "";
	return (
		`${nameOf(run, first)} is first of ${count}, after ${duration(firstS)}: ` +
		`${duration(secondS - firstS)}${share} before ${nameOf(run, second)}.`
	);
}

/** The median and the spread of the best start-up beside the base. */
function ofSeeds(run: Run, seeds: Seeds): string {
	const base = baseOf(run);
	const baseCase = run.cases[base];
	const best = [...run.cases.keys()]
		.filter((place) => place !== base)
		.flatMap((place) => {
			const spread = spreadOf(seeds, place, base);
			return spread ? [{ place, spread }] : [];
		})
		.sort((a, b) => a.spread.median - b.spread.median)[0];
	const one = run.cases[best?.place ?? -1];
	if (!baseCase || !best || !one) {
		return "";
	}
	const [name, baseName] = [nameOf(run, one), nameOf(run, baseCase)];
	const { median } = best.spread;
	const which =
		run.cases.length === 2
			? `${name} takes`
			: median < 1
				? `${name} is first of ${run.cases.length}:`
				: `${baseName} is first of ${run.cases.length}, ${name} next:`;
	return `${which} ${timeBeside(median, baseName)} in the median of ${range(best.spread)}.`;
}

/** A share of another's time in words. */
function timeBeside(share: number, name: string): string {
	const words = change(share);
	return words === "" ? `the same time as ${name}` : `${words} time than ${name}`;
}

function range({ least, most, count }: Spread): string {
	const whole = count === SEEDS ? `${count} seeds` : `${count} seeds that finished of ${SEEDS}`;
	const [from, to] = [change(least), change(most)];
	if (from === to) {
		return `${whole}, and in each`;
	}
	const areLess = least < 1 && most < 1 && to !== "";
	return areLess
		? `${whole}: ${percentOf(most)} to ${from}`
		: `${whole}: ${from || "the same"} to ${to || "the same"}`;
}

/** `31 % less`; empty: no change. */
function change(share: number): string {
	const percent = percentOf(share);
	return percent === 0 ? "" : `${percent} % ${share < 1 ? "less" : "more"}`;
}

function percentOf(share: number): number {
	return Math.round(100 * Math.abs(share - 1));
}

function inWords(names: string[]): string {
	return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
