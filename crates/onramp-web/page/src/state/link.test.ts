import assert from "node:assert/strict";
import { test } from "node:test";
import { fragmentOf, LinkError, readFragment } from "./link";

const TEXT = 'name = "geo"\n[path]\nrate = "50 Mbit/s"\nrtt = "600 ms" # ü\n';

async function refusal(of: Promise<unknown>): Promise<string> {
	try {
		await of;
	} catch (error) {
		assert.ok(error instanceof LinkError, String(error));
		return error.message;
	}
	return assert.fail("it was accepted");
}

test("a link holds the text of the scenario", async () => {
	const fragment = await fragmentOf(TEXT);
	assert.match(fragment, /^#1\.[\w-]+$/);
	assert.deepEqual(await readFragment(fragment), { kind: "scenario", text: TEXT });
});

test("a fragment may name a preset or a lesson, or be empty", async () => {
	assert.deepEqual(await readFragment("#preset/low-orbit"), { kind: "preset", id: "low-orbit" });
	assert.deepEqual(await readFragment("#lesson/2"), { kind: "lesson", id: "2" });
	assert.deepEqual(await readFragment(""), { kind: "none" });
});

test("links of other versions are refused by their version", async () => {
	assert.match(await refusal(readFragment("#0.abc")), /version 0.*version 1/);
	assert.match(await refusal(readFragment("#27.abc")), /version 27/);
});

test("wrong links are refused", async () => {
	assert.match(await refusal(readFragment("#top")), /not one of this page/);
	const fragment = await fragmentOf(TEXT);
	assert.match(await refusal(readFragment(fragment.slice(0, -9))), /damaged/);
	assert.match(await refusal(readFragment("#1.%%%")), /damaged/);
	assert.match(await refusal(readFragment("#1.")), /damaged/);
	assert.match(await refusal(readFragment("#1._____w")), /damaged/);
});

test("a short link that unpacks to a great text is refused", async () => {
	const packed = new Blob(["#".repeat(10_000_000)])
		.stream()
		.pipeThrough(new CompressionStream("deflate-raw"));
	const bytes = Buffer.from(await new Response(packed).arrayBuffer());
	assert.match(await refusal(readFragment(`#1.${bytes.toString("base64url")}`)), /256 KiB/);
});

test("a text that is too long for a link is refused", async () => {
	let text = "";
	for (let at = 0; at < 30_000; at += 1) {
		text += Math.imul(at, 2_654_435_761).toString(36);
	}
	assert.match(await refusal(fragmentOf(text)), /too long for a link/);
	assert.match(await refusal(readFragment(`#1.${"a".repeat(40_000)}`)), /40002 characters/);
});
