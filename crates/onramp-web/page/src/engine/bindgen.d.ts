/** The JavaScript side of the module: what `crates/onramp-web/src/js.rs` exports. */

import type { Check, ExportedFile, Facts, Progress, Run } from "./types";

/** Returns whether the run may go on. */
export type Report = (progress: Progress) => boolean;

/** Must be called first. */
export function initSync(input: { module: WebAssembly.Module }): void;
export function describe(): Facts;
export function check(scenario: string): Check;
/** Throws a list of `Fault`. */
export function run(scenario: string, report: Report): Omit<Run, "elapsedMs">;
/** Throws a list of `Fault`. `null`: not finished. */
export function completionTimes(scenario: string, run: number, report: Report): (number | null)[];
/** Throws a list of `Fault`. */
export function exportFile(
	scenario: string,
	format: string,
	caseNumber: number,
	report: Report,
): ExportedFile;
