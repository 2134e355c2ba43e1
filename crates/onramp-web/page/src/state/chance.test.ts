import assert from "node:assert/strict";
import { test } from "node:test";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { chanceOf } from "./chance";
import { parsed } from "./scenario";

test("what random numbers decide is named", () => {
	const of = (id: string) => chanceOf(parsed(PRESETS.find((one) => one.id === id)?.toml ?? ""));
	assert.deepEqual(of("geostationary"), []);
	assert.deepEqual(of("cable"), ["jitter", "aggregation"]);
	assert.deepEqual(of("low-orbit"), ["a rate that changes"]);
	assert.deepEqual(chanceOf(parsed('[path]\nloss = ["0 %", "1 %"]')), ["random loss"]);
	assert.deepEqual(chanceOf(parsed('[path]\nloss = "0 %"')), []);
	assert.deepEqual(chanceOf(parsed('[[traffic]]\nkind = "poisson"')), ["random traffic"]);
	assert.deepEqual(
		LESSONS.flatMap(({ toml }) => chanceOf(parsed(toml))),
		[],
	);
});
