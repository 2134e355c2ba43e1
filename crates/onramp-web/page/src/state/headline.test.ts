import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../engine/types";
import { comparison, ranked } from "./headline";
import { SEEDS } from "./seeds";

const NOBODY = Number.NaN;

/** Start-ups and their completion times; NaN: not finished. */
function runOf(rows: [startup: string, timeS: number, more?: object][]): Run {
	const cases = rows.map(([startup, timeS, more = {}], at) => {
		const own = startup === "none" ? "cubic" : `${startup} + cubic`;
		const completion_s = Number.isNaN(timeS) ? null : timeS;
		const fields = { size_bytes: 1e6, run: 1, startup, avoidance: "cubic", completion_s, ...more };
		return { number: at + 1, algorithms: own, startup, transfers: [{ fields }] };
	});
	return { cases } as unknown as Run;
}

test("of two the start-up is compared with CUBIC, whichever stands first", () => {
	const wanted = "onramp takes 50 % less time than CUBIC.";
	assert.equal(
		comparison(
			runOf([
				["none", 2],
				["onramp", 1],
			]),
		),
		wanted,
	);
	assert.equal(
		comparison(
			runOf([
				["onramp", 1],
				["none", 2],
			]),
		),
		wanted,
	);
	const same = runOf([
		["none", 2],
		["onramp", 2.001],
	]);
	assert.equal(comparison(same), "onramp takes the same time as CUBIC.");
});

test("only transfers of one size that finished are compared", () => {
	const sizes = runOf([
		["none", 2],
		["onramp", 1, { size_bytes: 5e6 }],
	]);
	assert.equal(comparison(sizes), "2 runs of different sizes.");
	assert.equal(
		comparison(
			runOf([
				["none", 2],
				["onramp", NOBODY],
			]),
		),
		"2 runs.",
	);
	assert.equal(comparison(runOf([["none", 2]])), "");
});

test("of more it is said who is first, and by how much", () => {
	const six = runOf([
		["none", 3],
		["onramp", 1.5],
		["paced", 2],
		["suss", 2.5],
		["hoe", 4],
		["jump", 5],
	]);
	assert.equal(comparison(six), "onramp is first of 6, after 1.5 s: 500 ms (25 %) before paced.");
	assert.deepEqual(ranked(six), [1, 2, 3, 0, 4, 5]);
	const ties = runOf([
		["none", 2],
		["onramp", 1],
		["paced", 1],
	]);
	assert.equal(comparison(ties), "onramp and paced are first of 3, after 1 s.");
	const same = runOf([
		["none", 2],
		["onramp", 2],
		["paced", 2],
	]);
	assert.equal(comparison(same), "All 3 take the same time.");
	const other = runOf([
		["none", 2],
		["onramp", 1],
		["paced", 3, { loss: "1 %" }],
	]);
	assert.equal(comparison(other), "3 runs.");
});

test("a case that did not finish is last", () => {
	assert.deepEqual(
		ranked(
			runOf([
				["none", NOBODY],
				["onramp", 2],
				["paced", 1],
			]),
		),
		[2, 1, 0],
	);
});

/** Seeds in which CUBIC takes 1 s and the others these times, in order. */
function seedsOf(of: Run, ...others: ((seed: number) => number)[]) {
	const timesS = Array.from({ length: SEEDS }, (_, seed) => [1, ...others.map((one) => one(seed))]);
	return { of, timesS };
}

test("with chance the median of all seeds is told, with its spread", () => {
	const run = runOf([
		["none", 1],
		["onramp", 0.62],
	]);
	const seeds = seedsOf(run, (seed) => 0.62 + seed / 100);
	assert.equal(
		comparison(run, seeds),
		"onramp takes 26 % less time than CUBIC in the median of 25 seeds: 14 to 38 % less.",
	);
	const some = { of: run, timesS: seeds.timesS.slice(0, 7) };
	assert.equal(
		comparison(run, some),
		"With this seed: onramp takes 38 % less time than CUBIC. 7 of 25 seeds have run.",
	);
	const mixed = seedsOf(run, (seed) => 0.88 + seed / 100);
	assert.match(comparison(run, mixed), /the same time as CUBIC .*: 12 % less to 12 % more\.$/);
	const failed = seedsOf(run, (seed) => (seed < 2 ? Number.NaN : 0.7));
	assert.match(
		comparison(run, failed),
		/in the median of 23 seeds that finished of 25, and in each\.$/,
	);
	const later = runOf([
		["none", 1],
		["onramp", 0.5],
	]);
	assert.match(comparison(later, seeds), /50 % less/, "the seeds are those of another run");
});

test("of more with chance the first in the median is told", () => {
	const run = runOf([
		["none", 1],
		["onramp", 0.5],
		["paced", 0.4],
	]);
	const seeds = seedsOf(
		run,
		() => 0.8,
		(seed) => 0.5 + seed / 25,
	);
	assert.equal(
		comparison(run, seeds),
		"onramp is first of 3: 20 % less time than CUBIC in the median of 25 seeds, and in each.",
	);
	const slow = seedsOf(
		run,
		() => 1.25,
		() => 1.5,
	);
	assert.match(
		comparison(run, slow),
		/^CUBIC is first of 3, onramp next: 25 % more time than CUBIC/,
	);
});
