import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { PREVIEW_SIZE, shippedScenarios } from "../pages.mjs";
import { browserForTests } from "./support/browser.mjs";
import { folder } from "./support/command.mjs";
import { indexFile, PAGE, WEB } from "./support/places.mjs";
import { pixelsOf, showPreview } from "./support/preview.mjs";
import { preset } from "./support/scenarios.mjs";

const browser = browserForTests();

/** The tags of a page, by their names. */
function tagsOf(html) {
	const tags = html.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g);
	return Object.fromEntries([...tags].map(([, name, content]) => [name, content]));
}

function widthAndHeight(png) {
	return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

test("each preset and each step has a page with its own title, text and picture", async () => {
	indexFile();
	const shipped = await shippedScenarios();
	assert.equal(shipped.length, 14);
	for (const { title, file, preview } of shipped) {
		const html = readFileSync(join(WEB, file), "utf8");
		const tags = tagsOf(html);
		assert.equal(tags["og:title"], title);
		assert.equal(tags["og:description"], tags.description);
		assert.ok(tags.description.length > 40, file);
		assert.equal(tags["og:image"], preview);
		assert.match(html, new RegExp(`<title>${title} – Onramp playground</title>`));
		assert.doesNotMatch(html, /https?:|file:|\/(work|home|root)\//, "no place of this machine");
		assert.deepEqual(widthAndHeight(readFileSync(join(WEB, preview))), PREVIEW_SIZE);
	}
	const all = readdirSync(join(PAGE, "previews")).sort();
	assert.deepEqual(all, shipped.map(({ preview }) => preview).sort(), "pictures of no scenario");
});

test("the picture of a preview cuts nothing: it fits, and its edges are empty", async (t) => {
	const { page } = await browser.open(t, { size: PREVIEW_SIZE });
	const { width, height } = PREVIEW_SIZE;
	const down = Array.from({ length: height }, (_, y) => y * width);
	const edges = [
		...Array(width).keys(),
		...Array.from({ length: width }, (_, x) => (height - 1) * width + x),
		...down,
		...down.map((at) => at + width - 1),
	];
	for (const scenario of await shippedScenarios()) {
		const { preview } = scenario;
		await showPreview(page, scenario);
		const lower = await page.evaluate(() => document.documentElement.scrollHeight);
		assert.ok(lower <= height, `${preview}: ${lower} px`);
		const pixels = await pixelsOf(page, readFileSync(join(PAGE, "previews", preview)));
		assert.equal(pixels.length, 4 * width * height, `${preview}: its size`);
		const colours = new Set(edges.map((at) => pixels.readUInt32LE(4 * at))).size;
		assert.equal(colours, 1, `${preview}: something lies across its edge`);
	}
});

test("with the address of the folder, pictures and pages have addresses", (t) => {
	const out = folder(t);
	const engine = join(WEB, "../web-engine");
	const base = "https://example.org/play/";
	const options = ["--out", out, "--engine", engine, "--base", base];
	execFileSync(process.execPath, [join(PAGE, "build.mjs"), ...options]);
	const tags = tagsOf(readFileSync(join(out, "preset-lte.html"), "utf8"));
	assert.equal(tags["og:image"], `${base}preset-lte.png`);
	assert.equal(tags["og:url"], `${base}preset-lte.html`);
	const index = tagsOf(readFileSync(join(out, "index.html"), "utf8"));
	assert.equal(index["og:image"], `${base}preset-geostationary.png`);
});

test("a page of a preset opens the playground there, and is what Share copies", async (t) => {
	const url = pathToFileURL(join(WEB, "preset-wifi.html")).href;
	const playground = await browser.open(t, { url });
	await playground.shows(/name = "wifi"/);
	await playground.settled();
	assert.equal(await playground.scenario(), preset("wifi"));
	assert.equal(await playground.link(), url);
	await playground.setAmount("Rate", "123 Mbit/s");
	await playground.settled();
	assert.match(await playground.link(), /\/index\.html#1\.[\w-]+$/, "a scenario that was changed");
});

test("a page of a step opens the lesson there", async (t) => {
	const url = pathToFileURL(join(WEB, "lesson-pacing.html")).href;
	const { page } = await browser.open(t, { url });
	await page.getByRole("heading", { name: "Measure, then pace" }).waitFor();
});
