/** Where the tests find what they test. `make web` builds the page, `cargo build` the program. */

import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
export const PAGE = join(ROOT, "crates/onramp-web/page");

/** Ends a wait that hangs. No machine is so slow. */
export const HANG_MS = 20 * 60_000;

/** As in the Makefile. */
const target = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target");

/** The built page. */
export const WEB = join(target, "web");

export function indexFile() {
	const file = join(WEB, "index.html");
	assert.ok(existsSync(file), `${file} is missing: \`make web\` builds the page`);
	return file;
}

/** The `onramp-study` that was built last. */
export function onramp() {
	const built = ["debug", "release"]
		.map((profile) => join(target, profile, "onramp-study"))
		.filter((file) => existsSync(file))
		.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
	const build = "cargo build -p onramp-study";
	assert.ok(built[0], `there is no onramp-study in ${target}: \`${build}\` makes it`);
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
