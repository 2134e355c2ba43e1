import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { browserForTests } from "./support/browser.mjs";
import { folder } from "./support/command.mjs";
import { program } from "./support/places.mjs";
import { preset } from "./support/scenarios.mjs";

const browser = browserForTests();

async function exported(t, format) {
	const playground = await browser.open(t, { fragment: "#preset/policed" });
	await playground.settled();
	const file = await playground.exported(format);
	assert.ok(file.bytes.length > 0);
	return { ...file, playground };
}

test("pcapng: tshark reads both ends of the conversation", async (t) => {
	const tshark = program(["tshark"], "scripts/setup.sh tshark");
	const { name, bytes } = await exported(t, "pcapng");
	assert.match(name, /\.pcapng$/);
	const file = join(folder(t), "packets.pcapng");
	writeFileSync(file, bytes);
	const fields = ["-T", "fields", "-e", "ip.src", "-e", "tcp.flags.syn", "-e", "tcp.len"];
	const lines = execFileSync(tshark, ["-n", "-r", file, ...fields], { maxBuffer: 64 << 20 })
		.toString()
		.trim()
		.split("\n")
		.map((line) => line.split("\t"));
	assert.equal(new Set(lines.map(([source]) => source)).size, 2);
	assert.ok(lines.some(([, syn]) => /1|True/.test(syn)));
	const payload = lines.reduce((sum, [, , length]) => sum + Number(length), 0);
	assert.ok(payload >= 5_000_000, `${payload} bytes of payload`);
});

test("qlog: JSON with events", async (t) => {
	const { name, bytes } = await exported(t, "qlog");
	assert.match(name, /qlog$/);
	// A JSON text sequence (RFC 7464): a control character begins each record.
	const records = bytes
		.toString()
		.split(String.fromCharCode(30))
		.filter((record) => record.trim() !== "");
	const parsed = records.map((record) => JSON.parse(record));
	const events = parsed.length > 1 ? parsed.slice(1) : parsed[0].traces[0].events;
	assert.ok(events.length > 1000, `${events.length} events`);
	assert.ok(events.some((event) => event.name.endsWith("metrics_updated")));
});

test("CSV: a row for each record, with the names of the columns", async (t) => {
	const { name, bytes } = await exported(t, "csv");
	assert.match(name, /\.csv$/);
	const [head, ...rows] = bytes.toString().trim().split("\n");
	assert.match(head, /^scenario,host,/);
	assert.equal(rows.length, 2);
	assert.ok(rows.every((row) => row.startsWith("policed,sim,")));
});

test("CSV of ACKs: a row for each ACK", async (t) => {
	const { name, bytes } = await exported(t, "acks");
	assert.match(name, /\.csv$/);
	const rows = bytes.toString().trim().split("\n");
	assert.ok(rows.length > 1000, `${rows.length} rows`);
	const columns = rows[0].split(",").length;
	assert.ok(rows.every((row) => row.split(",").length === columns));
});

test("SVG: an image that a browser draws", async (t) => {
	const { name, bytes, playground } = await exported(t, "svg");
	assert.match(name, /\.svg$/);
	const found = await playground.page.evaluate((text) => {
		const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
		return {
			root: parsed.documentElement.localName,
			error: parsed.querySelector("parsererror")?.textContent ?? "",
			lines: parsed.querySelectorAll("path, polyline, line").length,
		};
	}, bytes.toString());
	assert.equal(found.error, "");
	assert.equal(found.root, "svg");
	assert.ok(found.lines > 3, JSON.stringify(found));
});

test("PNG: an image that is not of one colour", async (t) => {
	const { name, bytes, playground } = await exported(t, "png");
	assert.match(name, /\.png$/);
	const found = await playground.page.evaluate(async (base64) => {
		const binary = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
		const image = await createImageBitmap(new Blob([binary], { type: "image/png" }));
		const canvas = new OffscreenCanvas(image.width, image.height);
		const context = canvas.getContext("2d");
		context.drawImage(image, 0, 0);
		const pixels = new Uint32Array(
			context.getImageData(0, 0, image.width, image.height).data.buffer,
		);
		return { width: image.width, height: image.height, colours: new Set(pixels).size };
	}, bytes.toString("base64"));
	assert.ok(found.width >= 600 && found.height >= 200, JSON.stringify(found));
	assert.ok(found.colours > 10, JSON.stringify(found));
});

test("TOML: the scenario as it is in the page, and the command that runs it", async (t) => {
	const playground = await browser.open(t, { fragment: "#preset/policed" });
	await playground.settled();
	assert.equal(await playground.scenario(), preset("policed"));
	await playground.showsCommand(/onramp sim policed\.toml/);
});
