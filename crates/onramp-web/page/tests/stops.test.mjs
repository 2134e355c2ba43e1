import assert from "node:assert/strict";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";

const browser = browserForTests();
const SIZES = {
	laptop: { width: 1366, height: 768 },
	tablet: { width: 1024, height: 768 },
	phone: { width: 390, height: 844 },
};

test("play stops where a caption explains the picture, and goes on", async (t) => {
	const playground = await browser.open(t, {
		motion: "no-preference",
		fragment: "#preset/geostationary",
	});
	await playground.settled();
	for (const words of [/link is empty for/, /ACKs, .* apart, so the estimate is/, /leave paced/]) {
		await playground.button("Go on").waitFor({ timeout: 20_000 });
		assert.match(await playground.page.locator(".caption").textContent(), words);
		const stood = await playground.timeS();
		await playground.page.waitForTimeout(300);
		assert.equal(await playground.timeS(), stood, "the clock stands");
		await playground.saysInWords(words);
		await playground.togglePlaying();
		// The next moment may be a frame away.
		const caption = playground.page.locator(".caption").filter({ hasText: words });
		await caption.waitFor({ state: "hidden" });
	}
});

test("without `Explain` it plays through", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/geostationary" });
	await playground.settled();
	await playground.button("Explain").click();
	await playground.page.getByLabel("Speed").selectOption("10");
	await playground.togglePlaying();
	await playground.button("Replay").waitFor({ timeout: 20_000 });
	assert.equal(await playground.page.locator(".caption").count(), 0);
});

for (const [name, size] of Object.entries(SIZES)) {
	for (const fragment of ["#preset/geostationary", "#lesson/slow-start"]) {
		test(`both paths are in view on a ${name}, ${fragment}`, async (t) => {
			const playground = await browser.open(t, { size, fragment });
			await playground.settled();
			const clock = await playground.page.locator(".transport").boundingBox();
			for (const canvas of await playground.page.locator(".lane canvas").all()) {
				const { y, height } = await canvas.boundingBox();
				assert.ok(y >= 0, `a path begins at ${y} px`);
				assert.ok(y + height <= clock.y + 1, `a path ends at ${y + height}, below ${clock.y} px`);
			}
		});
	}
}
