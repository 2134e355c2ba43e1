/**
 * Writes docs/images/playground.png, the picture of the page in the README: `node picture.mjs`,
 * after `make web`. With a folder, `node picture.mjs FOLDER`, it writes pictures of the page at
 * three sizes and in both colour schemes there instead, to look at.
 */

import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, SIZES } from "./tests/support/browser.mjs";
import { indexFile, ROOT } from "./tests/support/places.mjs";
import { Playground } from "./tests/support/playground.mjs";

const MAX_BYTES = 200_000;
const README = { width: 1280, height: 768 };

const folder = process.argv[2];
const browser = await launch();

async function picture(file, { size, scheme = "light", fragment, roundTrips, fullPage = false }) {
	const context = await browser.newContext({
		viewport: size,
		colorScheme: scheme,
		reducedMotion: "reduce",
	});
	const page = await context.newPage();
	await page.goto(pathToFileURL(indexFile()).href + fragment);
	const playground = new Playground(page);
	await playground.settled();
	await playground.step(roundTrips);
	await page.screenshot({ path: file, fullPage });
	await context.close();
}

if (folder) {
	await mkdir(folder, { recursive: true });
	for (const [name, size] of Object.entries(SIZES)) {
		for (const scheme of ["light", "dark"]) {
			const file = join(folder, `${name}-${scheme}.png`);
			await picture(file, { size, scheme, fragment: "", roundTrips: 4, fullPage: true });
		}
	}
} else {
	const file = join(ROOT, "docs/images/playground.png");
	await picture(file, { size: README, fragment: "", roundTrips: 4 });
	const { size } = await stat(file);
	if (size > MAX_BYTES) {
		throw new Error(`${file} has ${size} bytes, and ${MAX_BYTES} are the limit`);
	}
}
await browser.close();
