import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";

const browser = browserForTests();

/** Moves the focus by Tab to the element that matches, or fails. */
async function tabTo(page, what, matches) {
	for (let presses = 0; presses < 120; presses += 1) {
		await page.keyboard.press("Tab");
		const focused = await page.evaluate(() => {
			const element = document.activeElement;
			const labels = [...(element?.labels ?? [])].map((label) => label.textContent);
			const style = element ? getComputedStyle(element) : undefined;
			return {
				tag: element?.localName ?? "",
				role: element?.getAttribute("role") ?? "",
				type: element?.getAttribute("type") ?? "",
				name:
					(element?.getAttribute("aria-label") ?? "") ||
					labels.join(" ") ||
					(element?.textContent ?? ""),
				outline: `${style?.outlineStyle} ${style?.outlineWidth} ${style?.boxShadow}`,
			};
		});
		if (matches(focused)) {
			assert.doesNotMatch(focused.outline, /^none 0px none$/, `${what}: no focus is visible`);
			return;
		}
	}
	assert.fail(`Tab does not reach ${what}`);
}

const button = (name) => (focused) => focused.tag === "button" && name.test(focused.name);

test("the keyboard alone suffices: preset, value, play, step, export", async (t) => {
	const playground = await browser.open(t);
	const { page } = playground;
	await playground.settled();

	await tabTo(page, "a preset", button(/^WiFi$/));
	await page.keyboard.press("Enter");
	await playground.settled();
	assert.match(await playground.scenario(), /name = "wifi"/);

	await tabTo(page, "the controls", button(/^Change the path$/));
	await page.keyboard.press("Enter");
	await tabTo(page, "the rate", ({ tag, type, name }) => {
		return tag === "input" && type !== "range" && /^Rate/.test(name.trim());
	});
	await page.keyboard.press("Control+A");
	await page.keyboard.type("70 Mbit/s");
	await page.keyboard.press("Enter");
	await playground.settled();
	assert.match(await playground.scenario(), /rate = "70 Mbit\/s"/);

	// The keys of the clock work where no field has the focus.
	await tabTo(page, "the way past the controls", ({ name }) => /^Skip/.test(name));
	await page.keyboard.press("Enter");
	await page.keyboard.press("Home");
	const begin = await playground.timeS();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowRight");
	assert.ok(Math.abs((await playground.timeS()) - begin - 0.06) < 0.002, "two round trips");
	await page.keyboard.press("ArrowLeft");
	assert.ok(Math.abs((await playground.timeS()) - begin - 0.03) < 0.002, "one round trip");
	await page.keyboard.press("End");
	const end = await playground.timeS();
	assert.ok(end > begin + 0.2);
	await page.keyboard.press("Home");
	await page.keyboard.press("Space");
	await page.waitForTimeout(400);
	await page.keyboard.press("Space");
	const paused = await playground.timeS();
	assert.ok(paused > begin, "it played");
	await page.waitForTimeout(300);
	assert.equal(await playground.timeS(), paused, "it paused");

	await page.keyboard.press("?");
	await page.getByRole("dialog", { name: "Keys" }).waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("dialog").waitFor({ state: "detached" });

	await tabTo(page, "Save", button(/^Save$/));
	await page.keyboard.press("Enter");
	await page.getByRole("dialog", { name: "Save" }).waitFor();
	await tabTo(page, "the export as CSV", button(/^CSV$/));
	const [download] = await Promise.all([
		page.waitForEvent("download"),
		page.keyboard.press("Enter"),
	]);
	assert.match(readFileSync(await download.path(), "utf8"), /^scenario,host,/);
});
