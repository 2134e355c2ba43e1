import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { indexFile, WEB } from "./support/places.mjs";

test("all files of the page have less than 1.5 MB together, compressed", (t) => {
	indexFile();
	const sizes = readdirSync(WEB).map((name) => {
		const bytes = gzipSync(readFileSync(join(WEB, name)), { level: 9 }).length;
		return { name, bytes };
	});
	const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
	t.diagnostic(sizes.map(({ name, bytes }) => `${name} ${bytes}`).join(", "));
	assert.ok(total < 1_500_000, `${total} bytes: ${JSON.stringify(sizes)}`);
});

test("the page names no other server", () => {
	indexFile();
	for (const name of readdirSync(WEB).filter((name) => /\.(html|css|js)$/.test(name))) {
		const text = readFileSync(join(WEB, name), "utf8");
		const loads = text.match(/(?:src|href)\s*=\s*["']?(?:https?:)?\/\/[^"'\s>]+/g) ?? [];
		const imports = text.match(/(?:@import|url\()\s*["']?https?:[^"')]+/g) ?? [];
		assert.deepEqual([...loads, ...imports], [], name);
	}
});
