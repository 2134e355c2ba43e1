import assert from "node:assert/strict";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";
import { fragmentOf } from "./support/link.mjs";
import { download } from "./support/scenarios.mjs";

const browser = browserForTests();

/** Longest task of the page's thread that is still responsive. */
const RESPONSIVE_MS = 1000;

const ABSURD = [
	["a rate of nothing", download({ rate: "0 bit/s" }), /rate/],
	["a negative RTT", download({ rtt: "-5 ms" }), /rtt/],
	["an RTT of a week", download({ rtt: "604800 s" }), /rtt/],
	["a rate beyond all links", download({ rate: "99999 Tbit/s" }), /rate/],
	["a loss of 200 %", download({ more: 'loss = "200 %"' }), /loss/],
	["a queue of nothing", download({ more: 'queue = "0 packets"' }), /queue/],
	["a size that is no number", download({ size: "NaN" }), /size/],
	["another start-up", download().replace('"onramp"', '"warp"'), /warp/],
	["a key that there is not", download({ more: "colour = 3" }), /colour/],
	["no TOML", "name = = 3", /expected|invalid/i],
	["nothing", "", /name|path|empty/i],
	["64 KiB of one word", `name = "${"a".repeat(65_536)}"`, /name/],
	["500 cases", download().replace('"1 MB"', cases(250)), /cases.*command line/is],
	["a trace file", download().replace('rate = "20 Mbit/s"', 'trace = "lte.down"'), /trace/],
	["over QUIC", `${download()}transport = "quic"\n`, /quic/i],
];

function cases(count) {
	return `[${Array.from({ length: count }, (_, at) => `"${at + 1} kB"`).join(", ")}]`;
}

for (const [what, scenario, message] of ABSURD) {
	test(`an absurd value gives a clear message: ${what}`, async (t) => {
		const playground = await browser.open(t, { fragment: "#preset/wifi" });
		await playground.settled();
		await playground.enterScenario(scenario);
		await playground.says(message);
		assert.ok(await playground.worksOn("lte"));
	});
}

test("absurd values in the controls leave the page as it is, with a message", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/geostationary" });
	await playground.settled();
	for (const value of ["", "-1 Mbit/s", "1e99 Mbit/s", "fast", "<b>1</b>"]) {
		await playground.setAmount("Rate", value);
		await playground.says(/./);
	}
	await playground.setAmount("Rate", "50 Mbit/s");
	await playground.settled();
	assert.match(await playground.scenario(), /rate = "50 Mbit\/s"/);
});

test("a run of minutes shows progress, the page responds, and it can be cancelled", async (t) => {
	const long = download({ rate: "10 Gbit/s", rtt: "200 ms", size: "100 GB" });
	const playground = await browser.open(t, { fragment: fragmentOf(long) });
	await playground.runs();
	const longest = await playground.longestTaskMs(1500);
	t.diagnostic(`longest task of the page: ${longest.toFixed(0)} ms`);
	assert.ok(longest < RESPONSIVE_MS, `${longest} ms`);
	await playground.cancel();
	await playground.says(/cancel|stopped/i);
	assert.ok(await playground.worksOn("wifi"));
});

test("another setting ends a run of minutes", async (t) => {
	const long = download({ rate: "10 Gbit/s", rtt: "200 ms", size: "100 GB" });
	const playground = await browser.open(t, { fragment: fragmentOf(long) });
	await playground.runs();
	assert.ok(await playground.worksOn("wifi"));
});

test("a run that is too large ends by itself and says why", async (t) => {
	const endless = download({ rate: "100 Gbit/s", rtt: "1 ms", size: "1000 GB" });
	const playground = await browser.open(t, { fragment: fragmentOf(endless) });
	await playground.says(/command line|too (long|large|many)|stopped/i);
	assert.ok(await playground.worksOn("wifi"));
});
