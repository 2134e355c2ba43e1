import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { violations } from "./support/axe.mjs";
import { browserForTests } from "./support/browser.mjs";
import { folder } from "./support/command.mjs";
import { fragmentOf } from "./support/link.mjs";
import { Playground } from "./support/playground.mjs";
import { download } from "./support/scenarios.mjs";

const browser = browserForTests();
/** As the line says that is copied. */
const FRAME = { width: 720, height: 640 };
const PHONE = { width: 390, height: 844 };

/** The paths of the figure, when they are drawn. */
async function figure(page) {
	await page.locator(".stage canvas").nth(1).waitFor();
	return page.locator(".stage canvas");
}

for (const [name, size, scheme] of [
	["frame", FRAME, "light"],
	["phone", PHONE, "dark"],
]) {
	test(`an embedded figure is one figure with its sentence, and plays: ${name}`, async (t) => {
		const playground = await browser.open(t, { size, scheme, fragment: "#embed/preset/wifi" });
		const { page } = playground;
		await figure(page);
		await page.getByRole("heading", { name: "WiFi" }).waitFor();
		await page.getByText(/^WiFi sends data and ACKs in aggregates/).waitFor();
		assert.deepEqual(await playground.blankCanvases(), []);
		assert.equal(await violations(page), "");
		for (const part of [".transport", ".plots", ".side", ".head"]) {
			assert.equal(await page.locator(part).count(), 0, part);
		}
		const [height, width] = await page.evaluate(() => {
			const { scrollHeight, scrollWidth } = document.documentElement;
			return [scrollHeight, scrollWidth];
		});
		assert.ok(height <= size.height, `${height} px high`);
		assert.ok(width <= size.width, `${width} px wide`);
		await playground.button("Play").click();
		await page.getByRole("button", { name: /^(Pause|Go on)$/ }).waitFor();
		const link = page.getByRole("link", { name: "Open in the Onramp playground" });
		assert.equal(await link.getAttribute("href"), "index.html#preset/wifi");
		assert.equal(new URL(page.url()).hash, "#embed/preset/wifi", "the address stays");
	});
}

test("a scenario of one's own can be embedded by the line that the page copies", async (t) => {
	const text = download({ rate: "33 Mbit/s" });
	const playground = await browser.open(t, { fragment: fragmentOf(text) });
	await playground.settled();
	const line = await playground.shared("embed");
	assert.match(line, /^<iframe src="file:[^"]+index\.html#embed\/1\.[\w-]+" title="[^"]+"/);
	assert.match(line, /width="720" height="640"/);
	// The line as it is, in a page from the disk.
	const file = join(folder(t), "page.html");
	writeFileSync(file, `<!doctype html><title>A page</title><h1>A page</h1>${line}`);
	const { page } = await browser.open(t, { url: pathToFileURL(file).href });
	const frame = page.frameLocator("iframe");
	await frame.locator(".stage canvas").nth(1).waitFor();
	await frame.getByText(/less time than/).waitFor();
	const [opened] = await Promise.all([
		page.context().waitForEvent("page"),
		frame.getByRole("link", { name: "Open in the Onramp playground" }).click(),
	]);
	await new Playground(opened).shows(/33 Mbit/);
});

test("an embedded scenario that there is not says so", async (t) => {
	const playground = await browser.open(t, { fragment: "#embed/preset/mars" });
	await playground.says(/does not have/);
});
