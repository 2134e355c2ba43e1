import assert from "node:assert/strict";
import { test } from "node:test";
import { played } from "../engine/direct";
import type { CaseRun } from "../engine/types";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { frameOf } from "./frame";
import { liftAt, type Scene, sceneOf } from "./scene";

const SCENES: Record<string, Scene> = {
	geostationary: "orbit",
	"low-orbit": "orbit",
	transatlantic: "sea",
	lte: "radio",
	wifi: "radio",
	cable: "wire",
	policed: "wire",
	"data-centre": "wire",
	satellites: "orbit",
};

for (const { id, toml } of [...PRESETS, ...LESSONS]) {
	const scene = SCENES[id];
	if (scene) {
		test(`${id}: the landscape is that of the path`, () => {
			const [one] = played(toml).cases;
			assert.ok(one);
			assert.equal(sceneOf(one), scene);
		});
	}
}

test("a link bends between its ends, upwards to a satellite and downwards in a sea", () => {
	const one = { links: [{}], bottleneck: 0 } as unknown as CaseRun;
	const frame = frameOf(one, 1000);
	const { linkX, afterX } = frame;
	const middle = (linkX + afterX) / 2;
	for (const scene of ["orbit", "sea", "radio", "wire"] as const) {
		for (const x of [0, linkX, afterX, 1000]) {
			assert.ok(Math.abs(liftAt(scene, frame, x, 40)) < 1e-9, `${scene} at ${x}`);
		}
	}
	assert.equal(liftAt("orbit", frame, middle, 40), 40);
	assert.ok(liftAt("sea", frame, middle, 40) < 0);
	assert.equal(liftAt("radio", frame, middle, 40), 0);
});
