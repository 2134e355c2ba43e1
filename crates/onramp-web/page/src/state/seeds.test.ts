import assert from "node:assert/strict";
import { test } from "node:test";
import { completionTimes, played } from "../engine/direct";
import { PRESETS } from "../presets";
import { completionS, isRepeated, repeated, SEEDS, spreadOf } from "./seeds";

const toml = (id: string) => PRESETS.find((one) => one.id === id)?.toml ?? "";

test("presets with chance run with 25 seeds, and the others once", () => {
	const ran = PRESETS.filter(({ toml }) => isRepeated(played(toml), toml)).map(({ id }) => id);
	assert.deepEqual(ran, ["low-orbit", "lte", "wifi", "cable"]);
});

test("a run that was repeated in the scenario, or is alone, runs once", () => {
	const alone = toml("wifi").replace('["none", "onramp"]', '"onramp"');
	assert.equal(isRepeated(played(alone), alone), false);
	const twice = `${toml("wifi")}repeat = 2\n`;
	assert.equal(isRepeated(played(twice), twice), false);
});

test("the first seed is the run that is shown, and each differs", () => {
	const run = played(toml("wifi"));
	const scenario = repeated(toml("wifi"));
	const timesS = Array.from({ length: SEEDS }, (_, at) => completionTimes(scenario, at + 1));
	assert.deepEqual(timesS[0], run.cases.map(completionS));
	assert.equal(new Set(timesS.map(([first]) => first)).size, SEEDS);
	const spread = spreadOf({ of: run, timesS }, 1, 0);
	const ratios = timesS.map(([cubic = 1, onramp = 0]) => onramp / cubic).sort((a, b) => a - b);
	assert.deepEqual(spread, {
		least: ratios[0],
		median: ratios[12],
		most: ratios[24],
		count: SEEDS,
	});
});

test("a transfer in a table of its own is repeated too", () => {
	const text = repeated(`${toml("wifi")}\n[[transfer]]\nsize = "1 MB"\nstartup = "suss"\n`);
	assert.equal(text.match(/^repeat = 25$/gm)?.length, 2);
	assert.equal(completionTimes(text, 3).length, 3);
});
