/**
 * Writes previews/, the pictures of the pages of pages.mjs: `node previews.mjs`, after `make web`.
 * A picture shows both start-ups of a scenario on their path, as its embedded figure does.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PREVIEW_SIZE, PREVIEWS, shippedScenarios } from "./pages.mjs";
import { indexedPng } from "./png.mjs";
import { launch } from "./tests/support/browser.mjs";
import { pixelsOf, showPreview } from "./tests/support/preview.mjs";

const TIMEOUT_MS = 180_000;
/** The clock goes to its moment one frame after the run. */
const SETTLE_MS = 500;
const browser = await launch();
const context = await browser.newContext({ viewport: PREVIEW_SIZE, reducedMotion: "reduce" });
const page = await context.newPage();
page.setDefaultTimeout(TIMEOUT_MS);
await mkdir(PREVIEWS, { recursive: true });
for (const scenario of await shippedScenarios()) {
	const { preview } = scenario;
	await showPreview(page, scenario);
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
