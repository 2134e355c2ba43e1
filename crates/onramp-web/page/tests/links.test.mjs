import assert from "node:assert/strict";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";
import { fragmentOf } from "./support/link.mjs";
import { download, preset } from "./support/scenarios.mjs";

const browser = browserForTests();

test("a link restores the setting in another window", async (t) => {
	const first = await browser.open(t, { fragment: "#preset/cable" });
	await first.settled();
	await first.setAmount("Rate", "123 Mbit/s");
	await first.settled();
	const link = await first.link();
	const second = await browser.open(t, { fragment: new URL(link).hash });
	await second.settled();
	const scenario = await second.scenario();
	assert.equal(scenario, preset("cable").replace("300 Mbit/s", "123 Mbit/s"));
	assert.equal(await second.amount("Rate"), await first.amount("Rate"));
	assert.equal(
		(await second.exported("json")).bytes.toString(),
		(await first.exported("json")).bytes.toString(),
	);
});

test("back and forward lead through the settings", async (t) => {
	const playground = await browser.open(t, { fragment: fragmentOf(download()) });
	await playground.settled();
	await playground.page.evaluate((hash) => {
		location.hash = hash;
	}, "#preset/wifi");
	await playground.shows(/name = "wifi"/);
	await playground.page.goBack();
	await playground.shows(/name = "test"/);
	await playground.page.goForward();
	await playground.shows(/name = "wifi"/);
});

const WRONG = [
	["an old version", "#0.abcdef", /version 0/],
	["a later version", "#99.abcdef", /version 99/],
	["a part is missing", fragmentOf(download()).slice(0, -12), /damaged/],
	["other characters", "#1.%%%%", /damaged/],
	["no link of this page", "#chapter-2", /not one of this page/],
	["a preset that there is not", "#preset/mars", /does not have/],
	["40,000 characters", `#1.${"A".repeat(40_000)}`, /40002 characters/],
	["10 MB, compressed", fragmentOf("# ".repeat(5_000_000)), /256 KiB/],
];

for (const [what, fragment, message] of WRONG) {
	test(`a wrong link says so, and the page works: ${what}`, async (t) => {
		const playground = await browser.open(t, { fragment });
		await playground.says(message);
		await playground.settled();
		assert.match(await playground.scenario(), /name = "geostationary"/);
		assert.ok(await playground.worksOn("wifi"));
	});
}

test("a link with a scenario that has mistakes names the line", async (t) => {
	const broken = download().replace('"100 ms"', '"soon"');
	const playground = await browser.open(t, { fragment: fragmentOf(broken) });
	await playground.says(/rtt/);
	assert.equal(await playground.scenario(), broken);
	assert.ok(await playground.worksOn("wifi"));
});
