/**
 * The page as a user finds it: by roles, names and texts. Tests know the page through this class
 * alone.
 */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { HANG_MS } from "./places.mjs";

/** A change waits 120 ms for the next one before it runs. */
const SETTLE_MS = 200;
/** Numbers follow the clock ten times a second. */
const NUMBERS_MS = 200;

const SAVES = {
	json: "JSON",
	csv: "CSV",
	svg: "SVG",
	png: "PNG",
	pcapng: "pcapng",
	qlog: "qlog",
	acks: "CSV of ACKs",
};

export class Playground {
	constructor(page) {
		this.page = page;
	}

	button(name) {
		return this.page.getByRole("button", { name, exact: true });
	}

	/** Waits until the result is that of the scenario, or until there is a message instead. */
	async settled() {
		await this.page.waitForTimeout(SETTLE_MS);
		await this.page.locator('main[aria-busy="false"]').waitFor();
	}

	/** Waits until a run takes long enough to show its progress. */
	async runs() {
		await this.button("Cancel").waitFor();
	}

	cancel() {
		return this.button("Cancel").click();
	}

	/** Waits for a message, in an alert or a banner, or at a field. */
	async says(message) {
		const messages = this.page.locator(".banner, .message, [role=alert]");
		await messages.filter({ hasText: message }).first().waitFor();
	}

	/** Waits for the text that stands for the picture: what screen readers say. */
	async saysInWords(words) {
		const status = this.page.locator("main [role=status]");
		await status.filter({ hasText: words }).first().waitFor({ state: "attached" });
	}

	/** Waits until the scenario's text matches. */
	async shows(pattern) {
		const deadline = Date.now() + HANG_MS;
		while (!pattern.test(await this.scenario())) {
			assert.ok(Date.now() < deadline, `${pattern} in ${await this.scenario()}`);
			await this.page.waitForTimeout(50);
		}
	}

	editor() {
		return this.page.getByLabel("Scenario, in TOML");
	}

	scenario() {
		return this.editor().inputValue();
	}

	/** Shows the controls. A narrow window has them below the picture, without a button. */
	async openSetting() {
		const button = this.button("Change the path");
		if ((await button.count()) > 0 && (await button.getAttribute("aria-expanded")) === "false") {
			await button.click();
		}
	}

	async enterScenario(text) {
		await this.openSetting();
		if (!(await this.editor().isVisible())) {
			await this.page.locator("summary", { hasText: "Scenario" }).click();
		}
		await this.editor().fill(text);
	}

	/** Opens a preset and tells whether it ran. */
	async worksOn(id) {
		await this.page.evaluate((hash) => {
			location.hash = hash;
		}, `#preset/${id}`);
		await this.shows(new RegExp(`^name = "${id}"$`, "m"));
		await this.settled();
		const { bytes } = await this.exported("json");
		return JSON.parse(bytes.toString()).every((record) => record.scenario === id);
	}

	async amount(label) {
		await this.openSetting();
		return this.page.getByLabel(label, { exact: true }).first().inputValue();
	}

	async setAmount(label, value) {
		await this.openSetting();
		const field = this.page.getByLabel(label, { exact: true }).first();
		await field.fill(value);
		await field.press("Enter");
	}

	async again() {
		await this.openSetting();
		await this.button("Again").click();
	}

	/** What the page copies: a link, or the line that embeds a figure. */
	async shared(what) {
		await this.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await this.button("Share").click();
		const dialog = this.page.getByRole("dialog");
		await dialog.getByRole("button", { name: `Copy ${what}` }).click();
		await dialog.getByText("copied").waitFor();
		await dialog.getByRole("button", { name: "Close" }).click();
		return this.page.evaluate(() => navigator.clipboard.readText());
	}

	/** The link that the page copies. */
	link() {
		return this.shared("link");
	}

	/** Saves a file by the dialog, and gives its name and bytes. */
	async exported(format) {
		await this.button("Save").click();
		const dialog = this.page.getByRole("dialog");
		const [download] = await Promise.all([
			this.page.waitForEvent("download"),
			dialog.getByRole("button", { name: SAVES[format], exact: true }).click(),
		]);
		const bytes = await readFile(await download.path());
		await dialog.getByRole("button", { name: "Close" }).click();
		return { name: download.suggestedFilename(), bytes };
	}

	async showsCommand(pattern) {
		await this.button("Command line").click();
		const dialog = this.page.getByRole("dialog");
		await dialog.locator("code").filter({ hasText: pattern }).first().waitFor();
		const text = dialog.getByLabel("The scenario's text");
		assert.equal(await text.inputValue(), await this.scenario());
		await dialog.getByRole("button", { name: "Close" }).click();
	}

	/** The time of the clock, in seconds since the first connect. */
	async timeS() {
		await this.page.waitForTimeout(NUMBERS_MS);
		const slider = this.page.getByRole("slider", { name: "Time", exact: true });
		return Number.parseFloat(await slider.getAttribute("aria-valuetext"));
	}

	togglePlaying() {
		return this.page.getByRole("button", { name: /^(Play|Pause|Replay|Go on)$/ }).click();
	}

	/** Moves the clock on by round trips. */
	async step(roundTrips) {
		for (let moved = 0; moved < roundTrips; moved += 1) {
			await this.button("+RTT: on by a round trip").click();
		}
		await this.page.waitForTimeout(NUMBERS_MS);
	}

	/** Opens a step of the lesson, from 1. */
	async openLesson(step) {
		await this.button("Lesson").click();
		for (let shown = 1; shown < step; shown += 1) {
			await this.button("Next").click();
		}
		await this.page.getByText(`Step ${step} of 6`).waitFor();
	}

	switchColours() {
		return this.button("Dark").click();
	}

	/** Opens all parts of the page, one after the other, and gives their names. */
	async *eachPanel() {
		await this.openSetting();
		const parts = this.page.locator("details");
		for (let at = 0; at < (await parts.count()); at += 1) {
			const part = parts.nth(at);
			const summary = part.locator("summary").first();
			if ((await part.getAttribute("open")) === null) {
				await summary.click();
			}
			yield await summary.textContent();
		}
		for (const name of ["Share", "Command line", "Save", "Keys"]) {
			await this.button(name).click();
			await this.page.getByRole("dialog").waitFor();
			yield name;
			await this.page.keyboard.press("Escape");
			await this.page.getByRole("dialog").waitFor({ state: "detached" });
		}
		await this.button("Lesson").click();
		await this.settled();
		yield "Lesson";
	}

	/** Canvases that have a single colour, by the names of their figures. */
	blankCanvases() {
		return this.page.evaluate(() =>
			[...document.querySelectorAll("canvas")]
				.filter((canvas) => {
					const { width, height } = canvas;
					const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
					return new Set(new Uint32Array(data.buffer)).size < 3;
				})
				.map((canvas) => canvas.closest("figure")?.textContent ?? canvas.outerHTML),
		);
	}

	/** The longest time in which the page's thread did not get to a timer of 10 ms. */
	longestTaskMs(forMs) {
		return this.page.evaluate(
			(duration) =>
				new Promise((resolve) => {
					const begin = performance.now();
					let [last, longest] = [begin, 0];
					const timer = setInterval(() => {
						const now = performance.now();
						longest = Math.max(longest, now - last);
						last = now;
						if (now - begin > duration) {
							clearInterval(timer);
							resolve(longest);
						}
					}, 10);
				}),
			forMs,
		);
	}
}
