import assert from "node:assert/strict";
import test from "node:test";
import { violations } from "./support/axe.mjs";
import { browserForTests } from "./support/browser.mjs";

const browser = browserForTests();
const SIZES = {
	laptop: { width: 1366, height: 768 },
	phone: { width: 390, height: 844 },
};

/** Plays until the page asks. The moments that explain are not of this test. */
async function asked(playground) {
	await playground.page.getByText("How many segments does slow start send next?").waitFor();
}

for (const [name, size] of Object.entries(SIZES)) {
	test(`slow start: the lesson asks before each flight, and play answers: ${name}`, async (t) => {
		const playground = await browser.open(t, { size, fragment: "#lesson/slow-start" });
		const { page } = playground;
		await playground.settled();
		await playground.button("Explain").click();
		await playground.togglePlaying();
		await asked(playground);
		if (name === "laptop") {
			assert.equal(await violations(page), "");
		}
		const stood = await playground.timeS();
		await page.waitForTimeout(300);
		assert.equal(await playground.timeS(), stood, "the clock stands");
		const box = await page.locator(".predict").boundingBox();
		assert.ok(box.y >= 0 && box.y + box.height <= size.height, `asked at ${box.y} px`);
		await page.locator(".predict").getByRole("button", { name: "10", exact: true }).click();
		await page.getByText("Right: 10 segments").waitFor();
		await asked(playground);
		await page.locator(".predict").getByRole("button", { name: "80", exact: true }).click();
		await page.getByText("Not 80: 20 segments: twice as many as before").waitFor();
	});
}

test("play goes on without an answer, and who does not want to be asked is not", async (t) => {
	const playground = await browser.open(t, { fragment: "#lesson/slow-start" });
	await playground.settled();
	await playground.button("Explain").click();
	await playground.togglePlaying();
	await asked(playground);
	await playground.togglePlaying();
	await asked(playground);
	await playground.button("Do not ask").click();
	await playground.page.getByLabel("Speed").selectOption("10");
	await playground.button("Replay").waitFor();
	assert.equal(await playground.page.locator(".predict").isVisible(), false);
});

test("nothing is asked elsewhere, nor of a scenario that was changed", async (t) => {
	const playground = await browser.open(t, { fragment: "#lesson/slow-start" });
	await playground.settled();
	await playground.setAmount("Rate", "20 Mbit/s");
	await playground.settled();
	assert.equal(await playground.page.locator(".predict").count(), 0);
	await playground.button("Next").click();
	await playground.settled();
	assert.equal(await playground.page.locator(".predict").count(), 0);
});
