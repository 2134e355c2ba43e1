import assert from "node:assert/strict";
import { test } from "node:test";
import type { CaseRun, Run } from "../engine/types";
import { nameOf } from "./names";
import { comparison, warningsInWords } from "./words";

function runOf(rows: Record<string, string | number>[]): Run {
	const cases = rows.map(
		({ algorithms = "cubic", ...fields }, at) =>
			({
				number: at + 1,
				algorithms,
				transfers: [{ fields: { size_bytes: 1e6, run: 1, ...fields } }],
			}) as unknown as CaseRun,
	);
	return { cases } as Run;
}

const named = (run: Run) => run.cases.map((one) => nameOf(run, one));

test("cases of a list are named by what differs", () => {
	const rates = [{ rate_bits_per_s: 1e7 }, { rate_bits_per_s: 2e7 }];
	assert.deepEqual(named(runOf(rates)), ["cubic, 10 Mbit/s", "cubic, 20 Mbit/s"]);
	const queues = [{ queue: "1 bdp" }, { queue: "2 bdp" }, { algorithms: "onramp + cubic" }];
	assert.deepEqual(named(runOf(queues)), [
		"cubic, queue 1 bdp",
		"cubic, queue 2 bdp",
		"onramp + cubic",
	]);
	assert.deepEqual(named(runOf([{}, {}])), ["cubic, case 1", "cubic, case 2"]);
});

test("only transfers of one size are compared", () => {
	const one = { completion_s: 2 };
	const other = { algorithms: "onramp + cubic", completion_s: 1 };
	assert.equal(comparison(runOf([one, other])), "onramp + cubic takes 50 % less time than cubic.");
	assert.equal(
		comparison(runOf([one, { ...other, size_bytes: 5e6 }])),
		"2 runs of different sizes.",
	);
});

test("of three and more runs of one path the fastest is named, otherwise none", () => {
	const one = { completion_s: 2 };
	const other = { algorithms: "onramp + cubic", completion_s: 1 };
	const third = { algorithms: "paced + cubic", completion_s: 1.5 };
	assert.equal(
		comparison(runOf([one, third, other])),
		"Fastest of 3: onramp + cubic takes 50 % less time than cubic.",
	);
	assert.equal(comparison(runOf([other, third, one])), "onramp + cubic is the fastest of 3.");
	assert.equal(comparison(runOf([one, third, { ...other, loss: "1 %" }])), "3 runs.");
	assert.equal(comparison(runOf([one, one, one])), "All 3 take the same time.");
});

test("a warning of all cases is told once", () => {
	const cases = [{ title: "x: 1 MB, cubic, run 1" }, { title: "x: 1 MB, onramp, run 1" }];
	const of = (warnings: string[]) => warningsInWords({ cases, warnings } as Run);
	const both = cases.map(({ title }) => `${title}: the lines are thinned`);
	assert.equal(of(both), "The lines are thinned.");
	assert.equal(of(both.slice(0, 1)), "x: 1 MB, cubic, run 1: the lines are thinned.");
	assert.equal(of(["the file is long", ...both]), "the file is long. The lines are thinned.");
});
