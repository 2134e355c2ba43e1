/** Chromium of the distribution, and pages in it. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { HANG_MS, indexFile, program } from "./places.mjs";
import { Playground } from "./playground.mjs";

/** Windows of a laptop, a tablet and a phone, in CSS pixels. */
export const SIZES = {
	laptop: { width: 1280, height: 800 },
	tablet: { width: 820, height: 1180 },
	phone: { width: 360, height: 740 },
};

export function launch() {
	const names = ["chromium", "chromium-browser", "google-chrome"];
	return chromium.launch({
		executablePath: program(names, "scripts/setup.sh chromium"),
		// Tests run as root, in containers with a small /dev/shm.
		args: ["--no-sandbox", "--disable-dev-shm-usage"],
	});
}

/** A browser of the test file. Call it at the top of the file. */
export function browserForTests() {
	let browser;
	before(async () => {
		browser = await launch();
	});
	after(() => browser?.close());

	return {
		/** Resident memory of all pages and their workers. */
		async rendererBytes() {
			const session = await browser.newBrowserCDPSession();
			const { processInfo } = await session.send("SystemInfo.getProcessInfo");
			await session.detach();
			const sizes = processInfo
				.filter(({ type }) => type === "renderer")
				.map(({ id }) => /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, "utf8")));
			return sizes.reduce((sum, found) => sum + 1024 * Number(found?.[1] ?? 0), 0);
		},

		/**
		 * Opens the page for one test, which fails if the page has reported an error.
		 * @param t the test's context
		 * @param options `fragment` with `#`, `url` of index.html, `size`, `scheme`, `motion`
		 */
		async open(t, options = {}) {
			const context = await browser.newContext({
				viewport: options.size ?? SIZES.laptop,
				colorScheme: options.scheme ?? "light",
				reducedMotion: options.motion ?? "reduce",
				acceptDownloads: true,
			});
			context.setDefaultTimeout(HANG_MS);
			const page = await context.newPage();
			const errors = [];
			page.on("pageerror", (error) => errors.push(String(error)));
			page.on("console", (message) => {
				if (message.type() === "error") {
					errors.push(message.text());
				}
			});
			const url = options.url ?? pathToFileURL(indexFile()).href;
			await page.goto(url + (options.fragment ?? ""));
			t.after(async () => {
				await context.close();
				assert.deepEqual(errors, [], "the page reported errors");
			});
			return new Playground(page);
		},
	};
}
