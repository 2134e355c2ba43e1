import assert from "node:assert/strict";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";
import { shipped } from "./support/scenarios.mjs";

const browser = browserForTests();
const SIZES = {
	laptop: { width: 1366, height: 768 },
	tablet: { width: 1024, height: 768 },
	desk: { width: 1440, height: 900 },
	upright: { width: 768, height: 1024 },
	phone: { width: 390, height: 844 },
};

test("play stops where a caption explains the picture, and goes on", async (t) => {
	const playground = await browser.open(t, {
		motion: "no-preference",
		fragment: "#preset/geostationary",
	});
	await playground.settled();
	for (const words of [
		/10 segments, then the link is empty for .*: CUBIC waits for ACKs/,
		/ACKs, .* apart, so the estimate is/,
		/leave paced within .* CUBIC may send 29 kB/,
	]) {
		await playground.button("Go on").waitFor();
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
	await playground.button("Replay").waitFor();
	assert.equal(await playground.page.locator(".caption").count(), 0);
});

test("a caption covers nothing of its path, and the magnifier stands at the sender", async (t) => {
	const playground = await browser.open(t, {
		motion: "no-preference",
		fragment: "#preset/geostationary",
	});
	const { page } = playground;
	await playground.settled();
	for (const words of [/link is empty/, /ACKs, .* apart/]) {
		await playground.button("Go on").waitFor();
		const caption = page.locator(".caption");
		assert.match(await caption.textContent(), words);
		const figure = page.locator(".stage figure").filter({ has: caption });
		const [box, canvas] = await Promise.all([
			caption.boundingBox(),
			figure.locator("canvas").boundingBox(),
		]);
		assert.ok(box.y + box.height <= canvas.y, `it ends ${box.y + box.height - canvas.y} px in it`);
		if (String(words).includes("ACKs")) {
			const lens = await page.locator(".magnifier").boundingBox();
			// The sender is 72 px wide. Below the satellite's bend the queue ends at 123 px.
			assert.ok(lens.x - canvas.x >= 70 && lens.x - canvas.x < 80, `${lens.x - canvas.x} px`);
			assert.ok(lens.y - canvas.y >= 123, `it begins at ${lens.y - canvas.y} px`);
			assert.ok(lens.y + lens.height <= canvas.y + canvas.height + 1, "it ends with the path");
			assert.equal(await page.locator(".magnifier rect").count(), 10, "all ACKs of the train");
		}
		await playground.togglePlaying();
		await caption.filter({ hasText: words }).waitFor({ state: "hidden" });
	}
});

const SCENARIOS = ["preset", "lesson"].flatMap((kind) =>
	shipped(`${kind}s`).map(({ name, text }) => ({
		fragment: `#${kind}/${name.replace(/^\d-/, "")}`,
		begin: /^name = .*$/m.exec(text)[0],
	})),
);

for (const [name, size] of Object.entries(SIZES)) {
	test(`both paths of every preset and lesson are in view on a ${name}`, async (t) => {
		const playground = await browser.open(t, { size });
		const { page } = playground;
		await playground.settled();
		for (const { fragment, begin } of SCENARIOS) {
			await page.evaluate((hash) => {
				location.hash = hash;
				scrollTo(0, 0);
			}, fragment);
			await playground.shows(new RegExp(`^${begin}$`, "m"));
			await playground.settled();
			const clock = await page.locator(".transport").boundingBox();
			const lanes = await page.locator(".stage canvas").all();
			assert.equal(lanes.length, 2, fragment);
			for (const canvas of lanes) {
				const { y, height } = await canvas.boundingBox();
				assert.ok(y >= 0, `${fragment}: a path begins at ${y} px`);
				const below = y + height - clock.y;
				assert.ok(below <= 1, `${fragment}: a path ends ${below} px below the clock`);
			}
		}
	});
}
