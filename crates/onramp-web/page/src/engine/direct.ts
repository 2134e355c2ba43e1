/** The engine without a worker, for unit tests in Node: `make web-engine` builds the module. */

import { readFileSync } from "node:fs";
import { initSync, run, completionTimes as timesOf } from "#bindgen";
import { fillMissing } from "./missing";
import type { Run } from "./types";

/** `build.mjs` writes it: the module's file. */
declare const ENGINE_WASM: string;

let isReady = false;

function start(): void {
	if (!isReady) {
		initSync({ module: new WebAssembly.Module(readFileSync(ENGINE_WASM)) });
		isReady = true;
	}
}

/** Completion times of one repetition; NaN: not finished. */
export function completionTimes(scenario: string, repetition: number): number[] {
	start();
	return timesOf(scenario, repetition, () => true).map((one) => one ?? Number.NaN);
}

/** Simulates all cases of a scenario. */
export function played(scenario: string): Run {
	start();
	const result = { ...run(scenario, () => true), elapsedMs: 0 };
	fillMissing(result);
	return result;
}
