/**
 * Figures of the page in Chromium: `node bench/bench.mjs [RUNS]`, after `make web`. It asserts
 * nothing; docs/playground.md has the figures of one machine.
 */

import { pathToFileURL } from "node:url";
import { launch, SIZES } from "../tests/support/browser.mjs";
import { fragmentOf } from "../tests/support/link.mjs";
import { indexFile } from "../tests/support/places.mjs";
import { Playground } from "../tests/support/playground.mjs";
import { download, preset } from "../tests/support/scenarios.mjs";

const runs = Number(process.argv[2] ?? 9);
const browser = await launch();
const url = pathToFileURL(indexFile()).href;

async function opened(fragment) {
	const context = await browser.newContext({ viewport: SIZES.laptop, reducedMotion: "reduce" });
	const page = await context.newPage();
	await page.addInitScript(noteFirstResult);
	await page.goto(url + fragment);
	const playground = new Playground(page);
	await playground.settled();
	return { playground, context };
}

/** Runs in the page: the time of the frame after the first result, since the navigation. */
function noteFirstResult() {
	new MutationObserver((_, observer) => {
		if (document.querySelector("#result")?.textContent) {
			observer.disconnect();
			requestAnimationFrame(() => setTimeout(() => performance.mark("first result")));
		}
	}).observe(document, { childList: true, subtree: true, characterData: true });
}

async function firstResultMs() {
	const { playground, context } = await opened("");
	const timeMs = await playground.page.evaluate(
		() => performance.getEntriesByName("first result")[0].startTime,
	);
	await context.close();
	return timeMs;
}

/**
 * What the page says that a run took: the simulation with its recorder, in the worker. The first
 * run of a page also waits for the browser's compiler; the second is the same scenario once more.
 */
async function runMs(scenario, isFirst) {
	const { playground, context } = await opened(fragmentOf(scenario));
	if (!isFirst) {
		await playground.again();
		await playground.settled();
	}
	const said = await playground.page.getByText(/Simulated in/).textContent();
	await context.close();
	const [, value, unit] = /Simulated in ([\d.]+) (m?s)/.exec(said);
	return Number(value) * (unit === "s" ? 1000 : 1);
}

async function print(what, measure) {
	const values = [];
	for (let run = 0; run < runs; run += 1) {
		values.push(await measure());
	}
	values.sort((a, b) => a - b);
	const median = values[Math.floor(values.length / 2)];
	const range = `${values[0].toFixed(0)} to ${values.at(-1).toFixed(0)}`;
	console.log(`${what}: median ${median.toFixed(0)} ms (${range}, ${runs} runs)`);
}

const geo = download({ rate: "20 Mbit/s", rtt: "600 ms", size: "5 MB" });
const alone = geo.replace('["none", "onramp"]', '"onramp"');
await print("first result after the start of loading", firstResultMs);
for (const [what, scenario] of [
	["5 MB over 20 Mbit/s and 600 ms, one start-up", alone],
	["5 MB over 20 Mbit/s and 600 ms, two start-ups", geo],
	["preset geostationary", preset("geostationary")],
	["preset low-orbit", preset("low-orbit")],
]) {
	await print(`${what}, first run of the page`, () => runMs(scenario, true));
	await print(`${what}, second run`, () => runMs(scenario, false));
}
await browser.close();
