/** The documents of `make site` in Chromium, from the disk: `make test-site`. */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, SIZES } from "../support/browser.mjs";
import { HANG_MS, ROOT } from "../support/places.mjs";

const SITE = resolve(ROOT, process.env.ONRAMP_SITE ?? "target/site");
const PAGES = [
	"index.html",
	"docs/how-it-works.html",
	"docs/comparison.html",
	"docs/reference/python.html",
];
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let browser;
before(async () => {
	browser = await launch();
});
after(() => browser?.close());

/** A page of the site, which must report no error and load nothing from elsewhere. */
async function open(t, name, { size = SIZES.laptop, scheme = "light" } = {}) {
	const context = await browser.newContext({ viewport: size, colorScheme: scheme });
	context.setDefaultTimeout(HANG_MS);
	const page = await context.newPage();
	const mistakes = [];
	page.on("pageerror", (error) => mistakes.push(String(error)));
	page.on("request", (request) => {
		if (/^https?:/.test(request.url())) {
			mistakes.push(`loads ${request.url()}`);
		}
	});
	await page.goto(pathToFileURL(join(SITE, name)).href);
	t.after(async () => {
		await context.close();
		assert.deepEqual(mistakes, []);
	});
	return page;
}

for (const [name, size] of Object.entries(SIZES)) {
	test(`no page is wider than the window: ${name}`, async (t) => {
		for (const file of PAGES) {
			const page = await open(t, file, { size });
			const width = await page.evaluate(() => document.documentElement.scrollWidth);
			assert.ok(width <= size.width, `${file}: ${width} px`);
		}
	});
}

for (const scheme of ["light", "dark"]) {
	test(`text can be read: ${scheme}`, async (t) => {
		for (const file of PAGES) {
			const page = await open(t, file, { scheme });
			await page.addScriptTag({ path: axe });
			const found = await page.evaluate(async () => {
				// Text of the pages: the generator's own parts are its makers'.
				const result = await globalThis.axe.run(".md-content", {
					preload: false,
					runOnly: { type: "rule", values: ["color-contrast", "image-alt", "link-name"] },
				});
				return result.violations.flatMap(({ id, nodes }) =>
					nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`),
				);
			});
			assert.deepEqual(found, [], file);
		}
	});
}

test("the front page shows a live figure, which plays and leads to the playground", async (t) => {
	const page = await open(t, "index.html");
	await page.locator(".onramp-figure").scrollIntoViewIfNeeded();
	const frame = page.frameLocator(".onramp-figure");
	await frame.locator(".stage canvas").nth(1).waitFor();
	await frame.getByRole("button", { name: "Play" }).click();
	await frame.getByRole("button", { name: /^(Pause|Go on)$/ }).waitFor();
	const link = frame.getByRole("link", { name: "Open in the Onramp playground" });
	assert.equal(await link.getAttribute("href"), "index.html#preset/geostationary");
});

test("search finds a page", async (t) => {
	const page = await open(t, "index.html");
	await page.keyboard.press("Control+k");
	await page.keyboard.type("HyStart++");
	await page
		.getByRole("link", { name: /hystart/i })
		.first()
		.waitFor();
});
