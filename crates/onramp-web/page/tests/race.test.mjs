import assert from "node:assert/strict";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";
import { simJson } from "./support/command.mjs";
import { fragmentOf } from "./support/link.mjs";
import { preset } from "./support/scenarios.mjs";

const browser = browserForTests();

function withStartups(name, startups) {
	return preset(name).replace('["none", "onramp"]', JSON.stringify(startups));
}

const SIX = withStartups("geostationary", ["none", "onramp", "paced", "suss", "hoe", "jump"]);

/** The names of the lanes, from the top. */
function lanes(page) {
	return page.locator(".stage figcaption b:not(.finish)").allTextContents();
}

test("six start-ups have a lane and a colour each, and end in the order of times", async (t) => {
	const playground = await browser.open(t, { fragment: fragmentOf(SIX) });
	const { page } = playground;
	await playground.settled();
	assert.deepEqual(await lanes(page), ["CUBIC", "onramp", "paced", "suss", "hoe", "jump"]);
	const marks = await page
		.locator(".stage figcaption .mark")
		.evaluateAll((all) =>
			all.map((mark) => [getComputedStyle(mark).color, mark.querySelector("path").outerHTML]),
		);
	assert.equal(new Set(marks.map(([colour]) => colour)).size, 6);
	assert.equal(new Set(marks.map(([, shape]) => shape)).size, 6);
	await playground.step(2);
	assert.deepEqual(await playground.blankCanvases(), []);

	await playground.button("To the end").click();
	await page.locator(".finish").nth(5).waitFor();
	const records = JSON.parse(simJson(t, SIX).toString());
	const wanted = records.toSorted((a, b) => a.completion_s - b.completion_s || a.case - b.case);
	assert.deepEqual(
		await lanes(page),
		wanted.map(({ startup }, at) => `${at + 1}. ${startup === "none" ? "CUBIC" : startup}`),
	);
	const [first, second] = wanted.map(({ completion_s }) => completion_s);
	const headline = await page.locator(".headline").textContent();
	const share = Math.round(100 * (1 - first / second));
	assert.match(
		headline,
		new RegExp(`^onramp is first of 6, after .*\\(${share} %\\) before paced`),
	);

	await playground.button("To the beginning").click();
	await page.locator(".finish").first().waitFor({ state: "detached" });
	assert.equal((await lanes(page))[0], "CUBIC");
});

test("a seventh start-up is refused, and six cannot get one more", async (t) => {
	const playground = await browser.open(t, { fragment: fragmentOf(SIX) });
	await playground.settled();
	assert.equal(await playground.button("Add a start-up").count(), 0);
	await playground.enterScenario(SIX.replace('"jump"', '"jump", "lift"'));
	await playground.says(/7 cases; the page runs at most 6/);
});

test("with chance the headline has the median and the spread of 25 seeds", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/wifi" });
	await playground.settled();
	const headline = playground.page.locator(".headline");
	await headline.filter({ hasText: "in the median of 25 seeds" }).waitFor();
	const records = JSON.parse(simJson(t, `${preset("wifi")}repeat = 25\n`).toString());
	const times = (name) =>
		records.filter(({ startup }) => startup === name).map(({ completion_s }) => completion_s);
	const cubic = times("none");
	const ratios = times("onramp")
		.map((time, at) => time / cubic[at])
		.sort((a, b) => a - b);
	assert.equal(ratios.length, 25);
	const percent = (share) => Math.round(100 * (1 - share));
	const [most, median, least] = [ratios[0], ratios[12], ratios[24]].map(percent);
	assert.equal(
		await headline.textContent(),
		`onramp takes ${median} % less time than CUBIC in the median of 25 seeds: ` +
			`${least} to ${most} % less.`,
	);
	await playground.saysInWords(/in the median of 25 seeds/);
});

test("another path ends the seeds of the one before", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/low-orbit" });
	await playground.settled();
	assert.ok(await playground.worksOn("geostationary"));
	const words = await playground.page.locator(".headline").textContent();
	assert.match(words, /^onramp takes \d+ % less time than CUBIC\.$/);
});
