import assert from "node:assert/strict";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";
import { served, simJson } from "./support/command.mjs";
import { preset, shipped } from "./support/scenarios.mjs";

const browser = browserForTests();

for (const { name } of shipped("presets")) {
	test(`the preset ${name} is drawn: picture, plots and numbers`, async (t) => {
		const playground = await browser.open(t, { fragment: `#preset/${name}` });
		await playground.settled();
		await playground.step(3);
		const blank = await playground.blankCanvases();
		assert.deepEqual(blank, []);
		await playground.saysInWords(/round trips wasted/);
	});
}

for (const { name } of shipped("lessons")) {
	test(`the step ${name} of the lesson is drawn, with its text`, async (t) => {
		const playground = await browser.open(t);
		await playground.settled();
		await playground.openLesson(Number(name[0]));
		await playground.settled();
		await playground.step(3);
		assert.deepEqual(await playground.blankCanvases(), []);
		assert.equal(await playground.scenario(), lessonText(name));
	});
}

function lessonText(name) {
	return shipped("lessons").find((lesson) => lesson.name === name).text;
}

test("from disk: the first preset is shown", async (t) => {
	const playground = await browser.open(t);
	assert.match(playground.page.url(), /^file:/);
	await playground.settled();
	assert.equal(await playground.scenario(), preset("geostationary"));
});

test("by `onramp web`: the same page, the same numbers, and nothing from elsewhere", async (t) => {
	const url = await served(t);
	const hosts = new Set();
	const playground = await browser.open(t, { url, fragment: "#preset/cable" });
	playground.page.on("request", (request) => hosts.add(new URL(request.url()).host));
	await playground.page.reload();
	await playground.settled();
	const { bytes } = await playground.exported("json");
	assert.equal(bytes.toString(), simJson(t, preset("cable")).toString());
	hosts.delete("");
	assert.deepEqual([...hosts], [new URL(url).host]);
});

test("with reduced motion the page does not play by itself, and without it does", async (t) => {
	const still = await browser.open(t, { motion: "reduce", fragment: "#preset/geostationary" });
	await still.settled();
	const before = await still.timeS();
	await still.page.waitForTimeout(700);
	assert.equal(await still.timeS(), before);
	await still.togglePlaying();
	await still.page.waitForTimeout(700);
	assert.ok((await still.timeS()) > before, "play was asked for");

	const moving = await browser.open(t, {
		motion: "no-preference",
		fragment: "#preset/geostationary",
	});
	await moving.settled();
	const then = await moving.timeS();
	await moving.page.waitForTimeout(700);
	assert.ok((await moving.timeS()) > then);
});

test("thirty runs leave the memory as it was after ten", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/low-orbit" });
	await playground.settled();
	const session = await playground.page.context().newCDPSession(playground.page);
	const used = async () => {
		await session.send("HeapProfiler.collectGarbage");
		const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
		return { page: usedSize + backingStorageSize, process: await browser.rendererBytes() };
	};
	let afterTen;
	for (let run = 1; run <= 30; run += 1) {
		await playground.again();
		await playground.settled();
		if (run === 10) {
			afterTen = await used();
		}
	}
	const afterThirty = await used();
	t.diagnostic(`bytes after ten and thirty runs: ${JSON.stringify([afterTen, afterThirty])}`);
	assert.ok(afterThirty.page < 1.2 * afterTen.page + 2e6);
	// The process has the worker and its WebAssembly memory too, and garbage of both.
	assert.ok(afterThirty.process < 1.3 * afterTen.process + 50e6);
});
