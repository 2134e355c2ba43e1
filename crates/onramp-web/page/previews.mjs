/**
 * Writes previews/, the pictures of the pages of pages.mjs: `node previews.mjs`, after `make web`.
 * A picture shows both start-ups of a scenario on their path, as its embedded figure does.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PREVIEW_SIZE, PREVIEW_STYLE, PREVIEWS, shippedScenarios } from "./pages.mjs";
import { indexedPng } from "./png.mjs";
import { launch } from "./tests/support/browser.mjs";
import { indexFile } from "./tests/support/places.mjs";

const TIMEOUT_MS = 180_000;
/** The clock goes to its moment one frame after the run. */
const SETTLE_MS = 500;
const browser = await launch();
const context = await browser.newContext({ viewport: PREVIEW_SIZE, reducedMotion: "reduce" });
const page = await context.newPage();
page.setDefaultTimeout(TIMEOUT_MS);
await mkdir(PREVIEWS, { recursive: true });
for (const { kind, id, title, preview } of await shippedScenarios()) {
	await page.goto(`${pathToFileURL(indexFile()).href}#embed/${kind}/${id}`);
	await page.addStyleTag({ content: PREVIEW_STYLE });
	await page.getByRole("heading", { name: title, exact: true }).waitFor();
	await page.locator('main[aria-busy="false"] .stage canvas').nth(1).waitFor();
	await page.waitForTimeout(SETTLE_MS);
	const height = await page.evaluate(() => document.documentElement.scrollHeight);
	if (height > PREVIEW_SIZE.height) {
		throw new Error(`${preview}: ${height} px are higher than ${PREVIEW_SIZE.height} px`);
	}
	const shot = await page.screenshot();
	const bytes = indexedPng(await pixelsOf(page, shot), PREVIEW_SIZE.width, PREVIEW_SIZE.height);
	await writeFile(join(PREVIEWS, preview), bytes);
	console.log(`${preview}: ${bytes.length} bytes`);
}
await browser.close();

/** The pixels of a PNG file, which the browser decodes. */
async function pixelsOf(page, png) {
	const text = await page.evaluate(async (base64) => {
		const image = new Image();
		image.src = `data:image/png;base64,${base64}`;
		await image.decode();
		const canvas = document.createElement("canvas");
		[canvas.width, canvas.height] = [image.width, image.height];
		const context = canvas.getContext("2d");
		context.drawImage(image, 0, 0);
		const { data } = context.getImageData(0, 0, image.width, image.height);
		const parts = [];
		for (let at = 0; at < data.length; at += 30_000) {
			parts.push(String.fromCharCode(...data.subarray(at, at + 30_000)));
		}
		return btoa(parts.join(""));
	}, png.toString("base64"));
	return Buffer.from(text, "base64");
}
