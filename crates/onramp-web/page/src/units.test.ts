import assert from "node:assert/strict";
import { test } from "node:test";
import { bitRate, byteCount, clockTime, decimal, duration, grouped, significant } from "./units";

test("numbers keep the digits that matter", () => {
	assert.equal(significant(4.2149, 3), "4.21");
	assert.equal(significant(0, 3), "0");
	assert.equal(significant(1234.5, 3), "1235");
	assert.equal(significant(Number.NaN, 3), "–");
	assert.equal(significant(236_495.4, 3), "236,495");
	assert.equal(grouped(5e6), "5,000,000");
});

test("amounts have the unit with one to three digits before the point", () => {
	assert.equal(bitRate(50e6 / 8), "50 Mbit/s");
	assert.equal(bitRate(1.544e6 / 8), "1.54 Mbit/s");
	assert.equal(bitRate(Number.NaN), "–");
	assert.equal(byteCount(14_600), "14.6 kB");
	assert.equal(byteCount(0), "0 B");
	assert.equal(duration(0.6), "600 ms");
	assert.equal(duration(3.2549), "3.25 s");
	assert.equal(duration(0.00005), "50 µs");
	assert.equal(duration(0.999894e-3), "1 ms");
	assert.equal(duration(45_067), "12.5 h");
	assert.equal(duration(1200), "20 min");
});

test("waste below a tenth of a round trip is none", () => {
	assert.equal(decimal(0.000076), "0.0");
	assert.equal(decimal(-0.04), "0.0");
	assert.equal(decimal(1.42298), "1.4");
	assert.equal(decimal(41.3), "41");
	assert.equal(decimal(236_495.2), "236,495");
});

test("the clock shows as many decimals as its steps have", () => {
	assert.equal(clockTime(3.25, 0.01), "3.25 s");
	assert.equal(clockTime(0.00325, 1e-5), "3.25 ms");
});
