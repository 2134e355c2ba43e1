import assert from "node:assert/strict";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";
import { simJson } from "./support/command.mjs";
import { fragmentOf } from "./support/link.mjs";
import { download, shipped } from "./support/scenarios.mjs";

const browser = browserForTests();

/** Elements that draw from the run's random numbers, and a seed that a double cannot hold. */
const CHANCE = download({
	more: `jitter = "3 ms"
loss = "0.5 %"
aggregate = "2 ms"
service = "poisson"`,
}).replace("\n\n[path]", "\nseed = 9223372036854775807\n\n[path]");

const OTHERS = `${download({ size: "300 kB" })}
[[traffic]]
avoidance = "cubic"
lead = "1 s"

[[traffic]]
kind = "on-off"
rate = "4 Mbit/s"
on = "20 ms"
off = "20 ms"
`;

const scenarios = [
	...shipped("presets"),
	...shipped("lessons"),
	{ name: "chance and a seed of 63 bits", text: CHANCE },
	{ name: "others on the path", text: OTHERS },
];

for (const { name, text } of scenarios) {
	test(`${name}: the records are those of the command line, byte for byte`, async (t) => {
		const playground = await browser.open(t, { fragment: fragmentOf(text) });
		await playground.settled();
		const { bytes } = await playground.exported("json");
		assert.equal(bytes.toString(), simJson(t, text).toString());
	});
}
