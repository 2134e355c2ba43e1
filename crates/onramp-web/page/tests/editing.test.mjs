import assert from "node:assert/strict";
import test from "node:test";
import { browserForTests, SIZES } from "./support/browser.mjs";
import { fragmentOf } from "./support/link.mjs";

const browser = browserForTests();

test("an open panel stays open and keeps the focus while mistakes come and go", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/geostationary" });
	const { page } = playground;
	await playground.settled();
	await playground.openSetting();
	await page.locator("summary", { hasText: "Scenario" }).click();
	const text = await playground.scenario();
	const hasFocus = () =>
		page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
	for (const [right, wrong] of [
		['"50 Mbit/s"', '"50 Mbit/s'],
		['rtt = "600 ms"', 'rtt = "-600 ms"'],
	]) {
		await playground.editor().fill(text.replace(right, wrong));
		await playground.says(/./);
		await playground.settled();
		await playground.editor().fill(text);
		await playground.settled();
		assert.ok(await playground.editor().isVisible(), `${wrong} closed the panel`);
		assert.equal(await hasFocus(), "Scenario, in TOML");
	}
	await playground.setAmount("Rate", "fast");
	await playground.says(/rate/i);
	await playground.setAmount("Rate", "50 Mbit/s");
	await playground.settled();
	assert.ok(await playground.editor().isVisible(), "a mistake in a field closed the panel");
});

test("a size is that of all transfers, and qos in a list gets a rate and a field", async (t) => {
	const playground = await browser.open(t, { fragment: "#lesson/slow-start" });
	await playground.settled();
	await playground.setAmount("Size", "5 MB");
	await playground.settled();
	assert.equal((await playground.scenario()).match(/size = "5 MB"/g)?.length, 2);
	await playground.saysInWords(/takes \d+ % less time/);

	const other = await browser.open(t, { fragment: "#preset/geostationary" });
	await other.settled();
	await other.openSetting();
	await other.page.getByLabel("Start-up 2").selectOption("qos");
	await other.settled();
	assert.equal(await other.amount("Guaranteed rate"), "25 Mbit/s");
	await other.saysInWords(/qos 25 Mbit\/s: 5 MB in/);
});

test("a seed is a whole number, and what is none says so", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/wifi" });
	await playground.settled();
	for (const wrong of ["-1", "1.5", "abc", "99999999999999999999"]) {
		const before = await playground.scenario();
		await playground.setAmount("Seed", wrong);
		await playground.says(/whole number from 0 to 9223372036854775807/);
		assert.equal(await playground.scenario(), before);
	}
	await playground.setAmount("Seed", "9007199254740993");
	await playground.shows(/^seed = 9007199254740993$/m);
	await playground.setAmount("Seed", "");
	await playground.shows(/^(?![\s\S]*\nseed =)/);
	await playground.settled();
	assert.equal(await playground.page.locator(".message").count(), 0);
});

test("on a phone the result is near the top, and the lesson comes into view", async (t) => {
	const playground = await browser.open(t, {
		size: SIZES.phone,
		fragment: "#preset/geostationary",
	});
	const { page } = playground;
	await playground.settled();
	const top = await page.locator(".headline").evaluate((one) => one.getBoundingClientRect().top);
	assert.ok(top < 600, `the result begins at ${top} px`);
	await playground.button("Lesson").click();
	await playground.settled();
	const heading = page.getByRole("heading", { name: "Why slow start is slow" });
	assert.ok(await heading.evaluate((one) => one === document.activeElement));
	const { y } = await heading.boundingBox();
	assert.ok(y >= 0 && y < SIZES.phone.height / 2, `the heading is at ${y} px`);
});

test("the picture has the window to itself, until somebody changes the path", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/geostationary" });
	const { page } = playground;
	await playground.settled();
	const shownWidth = () =>
		page
			.locator(".stage canvas")
			.first()
			.evaluate((one) => one.clientWidth);
	const wide = await shownWidth();
	assert.ok(wide > 0.9 * SIZES.laptop.width, `${wide} px`);
	assert.equal(await page.getByLabel("Rate", { exact: true }).first().isVisible(), false);
	await playground.openSetting();
	assert.equal(await page.getByLabel("Rate", { exact: true }).first().isVisible(), true);
	await page.waitForTimeout(200);
	assert.ok((await shownWidth()) < wide - 200, "the controls stand beside it");
	await playground.button("Change the path").click();
	assert.equal(await page.getByLabel("Rate", { exact: true }).first().isVisible(), false);

	// Mistakes stand at the controls, so that a link with one shows them.
	const wrong = await browser.open(t, { fragment: fragmentOf('name = "a"\n[path]\nrate = 3') });
	await wrong.says(/Line/);
	assert.equal(await wrong.button("Change the path").getAttribute("aria-expanded"), "true");
});

test("a long run is shown in half a minute", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/geostationary" });
	await playground.settled();
	await playground.setAmount("Rate", "100 kbit/s");
	await playground.settled();
	const speed = await playground.page.getByLabel("Speed").inputValue();
	const completion = /5 MB in (\d+) s/.exec(await playground.page.locator("#result").textContent());
	assert.ok(Number(completion?.[1]) / Number(speed) <= 30, `${completion?.[0]} at ${speed}`);
});

test("the lines of a start-up can be left out of the plots", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/geostationary" });
	const { page } = playground;
	await playground.settled();
	await playground.step(4);
	const values = page.locator(".plot-window tbody tr").nth(1).locator("td");
	assert.match(await values.first().textContent(), /B$/);
	await page.getByRole("checkbox", { name: "onramp" }).uncheck();
	assert.equal(await values.first().textContent(), "–");
	assert.deepEqual(await playground.blankCanvases(), []);
	await page.getByRole("checkbox", { name: "onramp" }).check();
	assert.match(await values.first().textContent(), /B$/);
});

test("a number without a unit gets the usual one", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/geostationary" });
	await playground.settled();
	for (const [label, value, wanted] of [
		["Rate", "20", /^rate = "20 Mbit\/s"$/m],
		["RTT", "300", /^rtt = "300 ms"$/m],
		["Queue", "1", /^queue = "1 bdp"$/m],
		["Size", "2", /^size = "2 MB"$/m],
	]) {
		await playground.setAmount(label, value);
		await playground.shows(wanted);
	}
	await playground.setAmount("Rate", "20");
	assert.equal(await playground.amount("Rate"), "20 Mbit/s", "the same rate again");
	await playground.settled();
	assert.equal(await playground.page.locator(".message").count(), 0);
});

test("without a start-up it is CUBIC everywhere, and menus begin with onramp", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/wifi" });
	const { page } = playground;
	await playground.settled();
	await playground.openSetting();
	await playground.step(4);
	const first = page.getByLabel("Start-up 1");
	assert.equal(await first.evaluate((one) => one.selectedOptions[0].textContent), "CUBIC");
	const second = page.getByLabel("Start-up 2").locator("option");
	assert.equal(await second.first().textContent(), "onramp");
	assert.ok((await page.getByLabel("Start-up 2").locator("optgroup").count()) >= 3);
	const main = await page.locator("main").textContent();
	assert.doesNotMatch(main, /\bcubic\b|\bnone\b yet|avoidance as the host/);
});

test("on a noisy path the card says what is known before there is an estimate", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/wifi" });
	await playground.settled();
	await playground.step(4);
	const card = playground.page.getByLabel("What onramp believes");
	assert.match(await card.locator(".phase").textContent(), /Probing/);
	const words = await card.locator("dl dd").first().textContent();
	const range = /^([\d.]+) to ([\d.]+) Mbit\/s \(delivered, tried\)$/;
	const [, low, high] = range.exec(words) ?? [];
	assert.ok(Number(low) < Number(high), words);
});
