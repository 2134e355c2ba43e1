import assert from "node:assert/strict";
import test from "node:test";
import { parse } from "smol-toml";
import { PRESETS } from "../presets";
import { LESSONS } from ".";

test("a text of the lesson has fewer than 80 words", () => {
	for (const { title, text } of LESSONS) {
		const words = text.split(/\s/).length;
		assert.ok(words < 80, `"${title}" has ${words} words`);
		assert.match(text, /^[A-Z].*\.$/, `"${title}" is not sentences in one line`);
	}
});

test("the lesson has six steps, each with two start-ups and no chance", () => {
	assert.equal(LESSONS.length, 6);
	for (const { title, toml } of LESSONS) {
		const { transfer, path } = parse(toml) as {
			transfer: { startup: string | string[] }[];
			path: Record<string, unknown>;
		};
		assert.equal(transfer.flatMap((t) => t.startup).length, 2, title);
		assert.ok(!("jitter" in path || "steps" in path || "loss" in path), title);
	}
});

test("presets and steps have names of their own", () => {
	const names = [...PRESETS, ...LESSONS].map(({ toml }) => parse(toml).name);
	assert.equal(new Set(names).size, names.length);
	for (const list of [PRESETS, LESSONS]) {
		assert.equal(new Set(list.map(({ id }) => id)).size, list.length);
		assert.equal(new Set(list.map(({ title }) => title)).size, list.length);
	}
});

test("a preset compares the host's own start with onramp, and says what it is", () => {
	assert.equal(PRESETS.length, 8);
	for (const { id, title, sentence, toml } of PRESETS) {
		const { transfer } = parse(toml) as { transfer: { startup: string[] }[] };
		assert.deepEqual(
			transfer.map((t) => t.startup),
			[["none", "onramp"]],
			id,
		);
		assert.match(sentence, /^[A-Z].*\.$/, title);
	}
});
