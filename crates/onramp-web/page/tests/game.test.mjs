import assert from "node:assert/strict";
import test from "node:test";
import { violations } from "./support/axe.mjs";
import { browserForTests } from "./support/browser.mjs";

const browser = browserForTests();
const PHONE = { width: 390, height: 844 };

/** What the numbers of the game say, by their names. */
function figures(page) {
	return page.evaluate(() =>
		Object.fromEntries(
			[...document.querySelectorAll(".figures > div")].map((row) => [
				row.querySelector("dt").textContent,
				Number.parseFloat(row.querySelector("dd").textContent),
			]),
		),
	);
}

/** The rows of the table: name, time and losses. */
async function scores(page) {
	await page.locator(".scores").waitFor();
	return page.evaluate(() =>
		[...document.querySelectorAll(".scores tbody tr")].map((row) =>
			[...row.cells].map((cell) => cell.textContent.trim()),
		),
	);
}

/** Plays by the key: holds it for `downMs`, lets it go for `upMs`, until all is sent. */
async function playByKey(page, downMs, upMs) {
	while (!(await page.getByText("All sent").isVisible())) {
		await page.keyboard.down("Space");
		await page.waitForTimeout(downMs);
		await page.keyboard.up("Space");
		await page.waitForTimeout(upMs);
	}
}

test("a game is played with the space bar alone, and its score is a link", async (t) => {
	const { page } = await browser.open(t, { fragment: "#preset/wifi" });
	await page.getByRole("button", { name: "Beat onramp" }).press("Enter");
	await page.getByRole("heading", { name: "Beat onramp" }).waitFor();
	assert.match(new URL(page.url()).hash, /^#game\/\d+$/, "the path can be shared");
	await page.evaluate(() => {
		location.hash = "#game/7";
	});
	await page.getByText("255 segments").waitFor();
	assert.doesNotMatch(await page.locator("body").textContent(), /bit\/s/, "the path is hidden");
	await playByKey(page, 120, 280);
	const rows = await scores(page);
	assert.equal(await violations(page), "");
	assert.equal(await page.locator(".task").count(), 0, "one sentence: the verdict");
	assert.deepEqual(
		rows.map(([name]) => name),
		["you", "CUBIC", "onramp"],
	);
	assert.match(await page.locator("#verdict").textContent(), /^(You|Faster)/);
	assert.match(await page.locator(".outcome").textContent(), /11\.4 Mbit\/s, 60 ms, a queue of 44/);
	// What was seen while it was played is what the whole run says.
	const { acknowledged, lost } = await figures(page);
	assert.equal(acknowledged, 255);
	assert.equal(lost, Number(rows[0][2]));

	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await page.getByRole("button", { name: "Copy a link to this score" }).click();
	await page.getByText("Link copied").waitFor();
	const link = await page.evaluate(() => navigator.clipboard.readText());
	const other = await browser.open(t, { fragment: new URL(link).hash });
	const same = rows.map(([name, ...rest]) => [name === "you" ? "the player" : name, ...rest]);
	assert.deepEqual(await scores(other.page), same, "the simulator computes the score again");
	await other.page.getByRole("button", { name: "Play this path" }).click();
	await other.page.getByRole("button", { name: "Hold to send" }).waitFor();

	await page.getByRole("button", { name: "Watch all three in the playground" }).click();
	await page.locator(".stage canvas").nth(2).waitFor();
	assert.match(await page.locator("#result").textContent(), new RegExp(rows[0][1]));
});

test("who floods the path loses segments, and does not win", async (t) => {
	const { page } = await browser.open(t, { fragment: "#game/7" });
	await page.getByRole("button", { name: "Hold to send" }).waitFor();
	await page.keyboard.down("Space");
	await page.getByText("All sent").waitFor();
	await page.keyboard.up("Space");
	const [[, , lost]] = await scores(page);
	assert.ok(Number(lost) > 20, `${lost} segments were lost`);
	assert.match(await page.locator("#verdict").textContent(), /losses|did not beat/);
	assert.equal((await figures(page)).lost, Number(lost));
});

test("a finger plays it on a phone, and all of it is in view", async (t) => {
	const { page } = await browser.open(t, { size: PHONE, fragment: "#game/7" });
	const button = page.locator(".hold");
	await button.waitFor();
	assert.equal(await violations(page), "");
	const { x, y, width, height } = await button.boundingBox();
	assert.ok(y + height <= PHONE.height, `the button ends at ${y + height} px`);
	const wide = await page.evaluate(() => document.documentElement.scrollWidth);
	assert.ok(wide <= PHONE.width, `${wide} px`);
	const session = await page.context().newCDPSession(page);
	const touch = (type, touchPoints) =>
		session.send("Input.dispatchTouchEvent", { type, touchPoints });
	await touch("touchStart", [{ x: x + width / 2, y: y + height / 2 }]);
	await page.waitForTimeout(400);
	await touch("touchEnd", []);
	await page.waitForTimeout(300);
	const { sent } = await figures(page);
	assert.ok(sent > 10 && sent < 255, `${sent} were sent`);
	await page.waitForTimeout(600);
	assert.equal((await figures(page)).sent, sent, "nothing leaves without the finger");
	assert.ok((await figures(page)).time > 0, "time goes on");
});

for (const code of ["x", "7/0-5"]) {
	test(`a wrong link of the game says so, and gives another path: ${code}`, async (t) => {
		const { page } = await browser.open(t, { fragment: `#game/${code}` });
		await page.getByText("not a game of this page").waitFor();
		await page.getByRole("button", { name: "Hold to send" }).waitFor();
	});
}
