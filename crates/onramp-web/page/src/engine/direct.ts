/** The engine without a worker, for unit tests in Node: `make web-engine` builds the module. */

import { readFileSync } from "node:fs";
import { initSync, run } from "#bindgen";
import { fillMissing } from "./missing";
import type { Run } from "./types";

/** `build.mjs` writes it: the module's file. */
declare const ENGINE_WASM: string;

let isReady = false;

/** Simulates all cases of a scenario. */
export function played(scenario: string): Run {
	if (!isReady) {
		initSync({ module: new WebAssembly.Module(readFileSync(ENGINE_WASM)) });
		isReady = true;
	}
	const result = { ...run(scenario, () => true), elapsedMs: 0 };
	fillMissing(result);
	return result;
}
