import assert from "node:assert/strict";
import test from "node:test";
import { violations } from "./support/axe.mjs";
import { browserForTests, SIZES } from "./support/browser.mjs";

const browser = browserForTests();

for (const scheme of ["light", "dark"]) {
	for (const [name, size] of Object.entries(SIZES)) {
		test(`axe finds no violation: ${scheme}, ${name}, each panel`, async (t) => {
			const playground = await browser.open(t, { scheme, size, fragment: "#preset/lte" });
			await playground.settled();
			assert.equal(await violations(playground.page), "", "as it opens");
			for await (const panel of playground.eachPanel()) {
				assert.equal(await violations(playground.page), "", panel);
			}
		});
	}
}

test("axe finds no violation in a lesson, and with a message", async (t) => {
	const lesson = await browser.open(t, { fragment: "#lesson/pacing" });
	await lesson.settled();
	assert.equal(await violations(lesson.page), "");
	await lesson.enterScenario("name = = 3");
	await lesson.says(/./);
	assert.equal(await violations(lesson.page), "");
});

for (const [name, size] of Object.entries(SIZES)) {
	test(`nothing is wider than the window: ${name}`, async (t) => {
		const playground = await browser.open(t, { size, fragment: "#preset/low-orbit" });
		await playground.settled();
		const width = () => playground.page.evaluate(() => document.documentElement.scrollWidth);
		assert.ok((await width()) <= size.width, `${await width()} px as it opens`);
		for await (const panel of playground.eachPanel()) {
			assert.ok((await width()) <= size.width, `${panel}: ${await width()} px`);
		}
	});
}

test("the switch of the colours overrides the system's", async (t) => {
	const playground = await browser.open(t, { scheme: "light" });
	await playground.settled();
	const background = () =>
		playground.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const light = await background();
	await playground.switchColours();
	// Colours change gradually.
	await playground.page.waitForTimeout(500);
	assert.notEqual(await background(), light);
	assert.equal(await violations(playground.page), "");
});

test("the picture and the plots have names and a text that says what they show", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/geostationary" });
	await playground.settled();
	const unnamed = await playground.page.evaluate(() =>
		[...document.querySelectorAll("canvas")]
			.filter(
				(canvas) =>
					!canvas.closest("[aria-hidden=true]") && !canvas.closest("[role=img][aria-label]"),
			)
			.map((canvas) => canvas.outerHTML),
	);
	assert.deepEqual(unnamed, []);
	await playground.saysInWords(/5 MB in 2\.7\d s/);
});
