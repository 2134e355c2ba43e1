/**
 * Writes previews/, the pictures of the pages of pages.mjs: `node previews.mjs`, after `make web`.
 * A picture shows both start-ups of a scenario on their path, as its embedded figure does.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PREVIEW_SIZE, PREVIEWS, shippedScenarios } from "./pages.mjs";
import { indexedPng } from "./png.mjs";
import { launch } from "./tests/support/browser.mjs";
import { indexFile } from "./tests/support/places.mjs";

/** Texts have a size that can be read where a picture is shown smaller than it is. */
const SCALE = 4 / 3;
const TIMEOUT_MS = 180_000;
/** The clock goes to its moment one frame after the run. */
const SETTLE_MS = 500;
const STYLE = `
	.embed { gap: 2px; padding: 6px 16px; }
	.embed .stage { gap: 0; }
	.embed figcaption { margin: 0; }
	.embed h1 { font-size: 22px; }
	.embed p { font-size: 15px; line-height: 1.25; }
	.embed .keys, .embed .row, .embed .lane .faint { display: none; }
`;

const size = { width: PREVIEW_SIZE.width / SCALE, height: PREVIEW_SIZE.height / SCALE };
const browser = await launch();
const context = await browser.newContext({
	// Its last row is a part of a pixel, so it is not in the picture.
	viewport: { width: size.width, height: Math.ceil(size.height) + 3 },
	deviceScaleFactor: SCALE,
	reducedMotion: "reduce",
});
const page = await context.newPage();
page.setDefaultTimeout(TIMEOUT_MS);
await mkdir(PREVIEWS, { recursive: true });
for (const { kind, id, title, preview } of await shippedScenarios()) {
	await page.goto(`${pathToFileURL(indexFile()).href}#embed/${kind}/${id}`);
	await page.addStyleTag({ content: STYLE });
	await page.getByRole("heading", { name: title, exact: true }).waitFor();
	await page.locator('main[aria-busy="false"] .stage canvas').nth(1).waitFor();
	await page.waitForTimeout(SETTLE_MS);
	const shot = await page.screenshot({ clip: { x: 0, y: 0, ...size } });
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
