import assert from "node:assert/strict";
import { test } from "node:test";
import { columnTimes, columnValues, valueAtTime } from "./columns";

const STEPS = { timeS: [1, 2, 2.1, 2.2, 3], value: [10, 40, 20, 30, 5], untilS: 5 };

test("a value holds until the next one and until the end", () => {
	const values = columnValues(STEPS, { fromS: 0, toS: 8 }, 8);
	assert.deepEqual(values.slice(0, 2), [null, null], "before the first sample");
	assert.deepEqual(values.slice(2, 4), [10, 10]);
	assert.deepEqual(values.slice(8, 12), [5, 5, 5, 5]);
	assert.deepEqual(values.slice(12), [null, null, null, null], "after the end");
});

test("a column has the extremes of all samples in it, in their order", () => {
	const values = columnValues(STEPS, { fromS: 0, toS: 8 }, 8);
	assert.deepEqual(values.slice(4, 6), [10, 40]);
	assert.deepEqual(values.slice(6, 8), [30, 5]);
});

test("a window begins with the value that holds there", () => {
	assert.deepEqual(columnValues(STEPS, { fromS: 1.5, toS: 1.9 }, 2), [10, 10, 10, 10]);
});

test("columns have two times each", () => {
	assert.deepEqual(columnTimes({ fromS: 2, toS: 4 }, 2), [2, 2.5, 3, 3.5]);
});

test("the value at a time is that of the last sample", () => {
	assert.equal(valueAtTime(STEPS, 2.15), 20);
	assert.ok(Number.isNaN(valueAtTime(STEPS, 0.5)));
	assert.ok(Number.isNaN(valueAtTime(STEPS, 5.5)));
});
