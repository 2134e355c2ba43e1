import assert from "node:assert/strict";
import { test } from "node:test";
import { parsed, tablesAt, valueAt } from "../state/scenario";
import {
	codeOf,
	courseOf,
	partScenario,
	type Result,
	readCode,
	SEGMENTS_PER_RTT,
	verdict,
	wholeScenario,
} from "./course";

test("a seed gives the same path in every browser", () => {
	assert.deepEqual(courseOf(7), {
		seed: 7,
		rateBitsPerS: 11_400_000,
		rttMs: 60,
		queuePackets: 44,
		segments: 255,
		allowedLosses: 5,
	});
});

test("no path is faster than the key, and no window limits the player", () => {
	for (let seed = 0; seed < 1000; seed += 1) {
		const { rateBitsPerS, rttMs, queuePackets, segments, allowedLosses } = courseOf(seed);
		const bdpPackets = (rateBitsPerS * rttMs) / 1000 / 12_000;
		assert.ok(bdpPackets >= 49 && bdpPackets <= 0.45 * SEGMENTS_PER_RTT, `seed ${seed}`);
		assert.ok(queuePackets >= 12 && queuePackets <= bdpPackets + 1, `seed ${seed}`);
		assert.ok(segments >= 3 * bdpPackets - 1 && segments < 1000, `seed ${seed}`);
		assert.ok(allowedLosses >= 3, `seed ${seed}`);
	}
});

test("a code holds the path and each write", () => {
	const course = courseOf(42);
	const ticks = Array.from({ length: course.segments }, (_, at) => (at < 20 ? at : 500 + 3 * at));
	assert.deepEqual(readCode(codeOf(course, ticks)), { course, ticks });
	assert.deepEqual(readCode("42"), { course, ticks: [] });
	const evenly = Array.from({ length: course.segments }, (_, at) => at);
	assert.equal(codeOf(course, evenly), `42/0-${course.segments.toString(36)}`);
});

test("a wrong code is refused", () => {
	const { segments } = courseOf(42);
	const count = segments.toString(36);
	for (const code of ["", "x", "1234567", "42/", "42/0-5", `42/1-${count}`, `42/0-${count}.`]) {
		assert.equal(readCode(code), undefined, code);
	}
	assert.equal(readCode(`42/0-1.zzzz-${(segments - 1).toString(36)}`), undefined, "hours");
});

test("the scenarios have the player's writes, and the rivals in the whole game alone", () => {
	const course = courseOf(42);
	const tickNs = (course.rttMs * 1e6) / SEGMENTS_PER_RTT;
	const part = parsed(partScenario(course, [0, 1, 5], 0.5));
	const every = valueAt(part, ["transfer", 0, "write_every"]);
	assert.deepEqual(every, [`${tickNs} ns`, `${4 * tickNs} ns`, "3600 s"]);
	assert.equal(valueAt(part, ["run", "duration"]), "500000 us");
	assert.equal(tablesAt(part, "transfer").length, 1);
	const ticks = Array.from({ length: course.segments }, (_, at) => at);
	const whole = parsed(wholeScenario(course, ticks));
	assert.deepEqual(valueAt(whole, ["transfer", 1, "startup"]), ["none", "onramp"]);
	assert.equal(valueAt(whole, ["run"]), undefined);
});

test("a verdict names whom the player has beaten, and losses do not win", () => {
	const course = { ...courseOf(42), allowedLosses: 8 };
	const of = (timeS: number, retransmitted = 0): Result => ({ timeS, retransmitted });
	const said = (you: Result) => verdict(course, you, of(3), of(2));
	assert.equal(said(of(1)), "You beat onramp and CUBIC.");
	assert.equal(said(of(1, 8)), "You beat onramp and CUBIC.");
	assert.match(said(of(1, 9)), /^Faster than onramp and CUBIC, but with more than 8 losses/);
	assert.equal(said(of(2.5)), "You beat CUBIC, but not onramp.");
	assert.match(said(of(2.5, 99)), /^Faster than CUBIC, but/);
	assert.equal(said(of(4)), "You did not beat onramp or CUBIC.");
	assert.match(said(of(Number.NaN)), /did not finish/);
	assert.equal(verdict(course, of(2.5), of(2), of(3)), "You beat onramp, but not CUBIC.");
	assert.equal(verdict(course, of(4), of(3), of(5), "Ada"), "Ada beat onramp, but not CUBIC.");
});
