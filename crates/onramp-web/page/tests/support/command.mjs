/** The command line, for comparison. */

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onramp, WEB } from "./places.mjs";

/** A folder for the test; it is removed afterwards. */
export function folder(t) {
	const path = mkdtempSync(join(tmpdir(), "onramp-page-"));
	t.after(() => rmSync(path, { recursive: true, force: true }));
	return path;
}

/** The bytes that `onramp sim FILE --json` prints. */
export function simJson(t, scenario) {
	const file = join(folder(t), "scenario.toml");
	writeFileSync(file, scenario);
	return execFileSync(onramp(), ["sim", file, "--json"], { maxBuffer: 64 << 20 });
}

/** Serves the page by `onramp web` until the test ends. Gives the address of the page. */
export async function served(t) {
	const child = spawn(onramp(), ["web", "--listen", "127.0.0.1:0", "--folder", WEB]);
	t.after(() => child.kill());
	let output = "";
	for await (const chunk of child.stdout) {
		output += chunk;
		const url = /http:\/\/\S+/.exec(output);
		if (url) {
			return url[0];
		}
	}
	throw new Error(`onramp web ended without an address: ${output}`);
}
