import assert from "node:assert/strict";
import { test } from "node:test";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { parsed, tablesAt } from "./scenario";
import {
	choicesOf,
	commonKeys,
	transfersWithRate,
	withMoreStartups,
	withoutStartup,
	withStartup,
} from "./transfers";

const LESSON = LESSONS[0]?.toml ?? "";
const PRESET = PRESETS[0]?.toml ?? "";

/** The transfers as plain objects. */
const transfersOf = (text: string) => tablesAt(parsed(text), "transfer").map((one) => ({ ...one }));
const names = (text: string) => choicesOf(parsed(text)).map(({ name }) => name);

test("a key of the first transfer stands for those of all transfers with its value", () => {
	const table = parsed(LESSON);
	assert.deepEqual(commonKeys(table, ["transfer", 0, "size"]), [
		["transfer", 0, "size"],
		["transfer", 1, "size"],
	]);
	assert.deepEqual(commonKeys(table, ["transfer", 0, "startup"]), [["transfer", 0, "startup"]]);
	assert.deepEqual(commonKeys(table, ["path", "rate"]), [["path", "rate"]]);
	const other = parsed(LESSON.replace("1 MB", "5 MB"));
	assert.deepEqual(commonKeys(other, ["transfer", 0, "size"]), [["transfer", 0, "size"]]);
});

test("the start-ups of all transfers are one list", () => {
	assert.deepEqual(names(LESSON), ["standard", "qos"]);
	assert.deepEqual(names(PRESET), ["none", "onramp"]);
	assert.deepEqual(names(withMoreStartups(PRESET, "hoe")), ["none", "onramp", "hoe"]);
	assert.deepEqual(names(withMoreStartups(LESSON, "hoe")), ["standard", "hoe", "qos"]);
	assert.deepEqual(names(withoutStartup(PRESET, 0)), ["onramp"]);
	assert.deepEqual(names(withoutStartup(LESSON, 1)), ["standard"]);
});

test("qos gets a transfer of its own and half of the path's rate", () => {
	const text = withStartup(PRESET, 1, "qos");
	const [first, second] = transfersOf(text);
	assert.deepEqual(first, { size: "5 MB", startup: "none", avoidance: "cubic" });
	assert.deepEqual(second, { ...first, startup: "qos", qos_rate: "25 Mbit/s" });
	assert.deepEqual(transfersWithRate(parsed(text)), [1]);
});

test("the rate of qos goes when another start-up takes its place", () => {
	const text = withStartup(withStartup(PRESET, 1, "qos"), 1, "paced");
	const [, second] = transfersOf(text);
	assert.deepEqual(second, { size: "5 MB", startup: "paced", avoidance: "cubic" });
	assert.deepEqual(transfersWithRate(parsed(text)), []);
});
