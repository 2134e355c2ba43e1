import assert from "node:assert/strict";
import { test } from "node:test";
import { halfOf, nearestStep, withUnit } from "./amount";

test("a slider stands at the nearest step", () => {
	const steps = ["1 Mbit/s", "10 Mbit/s", "1 Gbit/s"];
	assert.equal(nearestStep("10 Mbit/s", steps), 1);
	assert.equal(nearestStep("12.5 Mbit/s", steps), 1);
	assert.equal(nearestStep("900 Mbit/s", steps), 2);
	assert.equal(nearestStep("0.2 kbit/s", steps), 0);
});

test("another unit and no amount have no step", () => {
	assert.equal(nearestStep("100 packets", ["0.5 bdp", "1 bdp"]), -1);
	assert.equal(nearestStep("linux-default", ["1 MB"]), -1);
	assert.equal(nearestStep("linux-default", ["linux-default", "1 MB"]), 0);
});

test("half of an amount has its unit", () => {
	assert.equal(halfOf("50 Mbit/s"), "25 Mbit/s");
	assert.equal(halfOf("1.5 Mbit/s"), "0.75 Mbit/s");
	assert.equal(halfOf("fast"), undefined);
	assert.equal(halfOf("undefined"), undefined);
});

test("a number without a unit gets the usual one, and a unit its spelling", () => {
	assert.equal(withUnit("50", "Mbit/s"), "50 Mbit/s");
	assert.equal(withUnit(" 1.5 ", "bdp"), "1.5 bdp");
	assert.equal(withUnit("2 gbit/s", "Mbit/s"), "2 Gbit/s");
	assert.equal(withUnit("20 KB", "MB"), "20 kB");
	assert.equal(withUnit("100 packets", "bdp"), "100 packets");
	assert.equal(withUnit("50 ms", "Mbit/s"), "50 ms", "the engine says what is wrong");
	assert.equal(withUnit("linux-default", "MiB"), "linux-default");
	assert.equal(withUnit("-1", "ms"), "-1");
});
