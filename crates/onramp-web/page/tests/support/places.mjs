/** Where the tests find what they test. `make web` builds the page, `cargo build` the program. */

import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
export const PAGE = join(ROOT, "crates/onramp-web/page");

/** `CARGO_TARGET_DIR` is for programs; the page is always below `target`. */
const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");

/** The built page. */
export const WEB = join(ROOT, "target/web");

/** Files that a look at the page needs and a test does not: not in the repository. */
export const SCREENSHOTS = join(ROOT, "target/web-screenshots");

export function indexFile() {
	const file = join(WEB, "index.html");
	assert.ok(existsSync(file), `${file} is missing: \`make web\` builds the page`);
	return file;
}

/** The `onramp` that was built last. */
export function onramp() {
	const built = ["debug", "release"]
		.map((profile) => join(target, profile, "onramp"))
		.filter((file) => existsSync(file))
		.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
	assert.ok(built[0], `there is no onramp in ${target}: \`cargo build -p onramp\` makes it`);
	return built[0];
}

/** A program of the distribution; a test without it fails, and says which package has it. */
export function program(names, setUp) {
	const folders = (process.env.PATH ?? "").split(delimiter);
	const found = names
		.flatMap((name) => folders.map((folder) => join(folder, name)))
		.find((file) => existsSync(file));
	assert.ok(found, `${names[0]} is missing: \`${setUp}\` installs it`);
	return found;
}
