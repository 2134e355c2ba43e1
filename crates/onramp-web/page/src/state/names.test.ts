import assert from "node:assert/strict";
import { test } from "node:test";
import type { CaseRun, Run } from "../engine/types";
import { grouped, nameOf, startupName } from "./names";
import { warningsInWords } from "./words";

function runOf(rows: Record<string, string | number>[]): Run {
	const cases = rows.map(({ startup = "none", avoidance = "cubic", ...fields }, at) => {
		const own = startup === "none" ? avoidance : `${startup} + ${avoidance}`;
		const one = {
			number: at + 1,
			algorithms: fields.label ?? own,
			startup,
			transfers: [{ fields: { size_bytes: 1e6, run: 1, startup, avoidance, ...fields } }],
		};
		return one as unknown as CaseRun;
	});
	return { cases } as Run;
}

const named = (...rows: Record<string, string | number>[]) => {
	const run = runOf(rows);
	return run.cases.map((one) => nameOf(run, one));
};

test("without a start-up a case is CUBIC, and a start-up has its own name", () => {
	assert.deepEqual(named({}, { startup: "onramp" }), ["CUBIC", "onramp"]);
	assert.deepEqual(named({ startup: "standard" }, { startup: "paced" }), ["CUBIC", "paced"]);
	assert.deepEqual(named({}, { startup: "standard" }), ["CUBIC", "standard + CUBIC"]);
	const bbr = { avoidance: "bbr" };
	assert.deepEqual(named(bbr, { ...bbr, startup: "standard" }), ["BBR", "standard + BBR"]);
	assert.deepEqual(named({ startup: "onramp" }, { ...bbr, startup: "onramp" }), [
		"onramp + CUBIC",
		"onramp + BBR",
	]);
	assert.deepEqual(named({ label: "of 1998" }, {}), ["of 1998", "CUBIC"]);
});

test("cases of a list are named by what differs", () => {
	assert.deepEqual(named({ rate_bits_per_s: 1e7 }, { rate_bits_per_s: 2e7 }), [
		"CUBIC, 10 Mbit/s",
		"CUBIC, 20 Mbit/s",
	]);
	assert.deepEqual(named({ queue: "1 bdp" }, { queue: "2 bdp" }, { startup: "onramp" }), [
		"CUBIC, queue 1 bdp",
		"CUBIC, queue 2 bdp",
		"onramp",
	]);
	assert.deepEqual(named({}, {}), ["CUBIC, case 1", "CUBIC, case 2"]);
});

test("menus have groups, and onramp is first", () => {
	const groups = grouped(["none", "standard", "paced", "onramp", "suss", "new"]);
	assert.deepEqual(
		groups.map(({ names }) => names),
		[["onramp"], ["none", "standard"], ["paced"], ["suss", "new"]],
	);
	assert.equal(startupName("none", "cubic"), "CUBIC");
	assert.equal(startupName("standard", "cubic"), "CUBIC (standard)");
	assert.equal(startupName("standard", "bbr"), "standard");
});

test("a warning of all cases is told once", () => {
	const cases = [{ title: "x: 1 MB, cubic, run 1" }, { title: "x: 1 MB, onramp, run 1" }];
	const of = (warnings: string[]) => warningsInWords({ cases, warnings } as Run);
	const both = cases.map(({ title }) => `${title}: the lines are thinned`);
	assert.equal(of(both), "The lines are thinned.");
	assert.equal(of(both.slice(0, 1)), "x: 1 MB, cubic, run 1: the lines are thinned.");
	assert.equal(of(["the file is long", ...both]), "the file is long. The lines are thinned.");
});
