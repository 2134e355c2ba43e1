/** Runs the scenario after each change. */

import { batch, effect } from "@preact/signals";
import { Engine, Refusal } from "../engine/client";
import type { ExportedFile, ExportFormat, Progress } from "../engine/types";
import { startSeeds } from "./seeds";
import { facts, ranText, run, scenarioText, status } from "./store";

/** A change waits so long for the next one. */
const SETTLE_MS = 120;
/** A run that takes longer has a progress bar. */
const SLOW_MS = 150;

let engine: Promise<Engine> | undefined;
let abort: AbortController | undefined;
let settle: ReturnType<typeof setTimeout> | undefined;
let isFirst = true;

/** Starts the engine, and runs the scenario and each that follows. */
export function startRunner(): void {
	engine = Engine.start();
	startSeeds(engine);
	engine.then(
		async (started) => {
			facts.value = await started.describe();
		},
		(error) => {
			status.value = { kind: "broken", message: messageOf(error) };
		},
	);
	effect(() => {
		const text = scenarioText.value;
		clearTimeout(settle);
		// The first scenario is complete.
		settle = setTimeout(() => void runScenario(text), isFirst ? 0 : SETTLE_MS);
		isFirst = false;
	});
}

/** Runs the scenario of the page now. */
export function runAgain(): void {
	clearTimeout(settle);
	void runScenario(scenarioText.peek());
}

/** Ends the run. The last result stays. */
export function cancel(): void {
	abort?.abort();
	status.value = { kind: "cancelled" };
}

/** A file of the scenario of the page. Throws a `Refusal`. */
export async function exportFile(format: ExportFormat, caseNumber: number): Promise<ExportedFile> {
	return (await running()).exportFile(ranText.peek(), format, caseNumber);
}

/** Runs a scenario that the page does not show. Throws a `Refusal`. */
export async function simulate(text: string): ReturnType<Engine["run"]> {
	return (await running()).run(text);
}

async function running(): Promise<Engine> {
	const started = await engine;
	if (!started) {
		throw new Error("the engine has not started");
	}
	return started;
}

async function runScenario(text: string): Promise<void> {
	abort?.abort();
	const mine = new AbortController();
	abort = mine;
	const isCurrent = () => abort === mine && !mine.signal.aborted;
	const show = (progress: Progress | undefined, isSlow: boolean) => {
		if (isCurrent()) {
			status.value = { kind: "running", progress, isSlow };
		}
	};
	let isSlow = false;
	let latest: Progress | undefined;
	const slow = setTimeout(() => {
		isSlow = true;
		show(latest, true);
	}, SLOW_MS);
	try {
		const started = await engine;
		if (!started || !isCurrent()) {
			return;
		}
		show(undefined, false);
		const result = await started.run(
			text,
			(progress) => {
				latest = progress;
				show(progress, isSlow);
			},
			mine.signal,
		);
		if (isCurrent()) {
			batch(() => {
				ranText.value = text;
				run.value = result;
				status.value = { kind: "idle" };
			});
		}
	} catch (error) {
		if (isCurrent()) {
			status.value =
				error instanceof Refusal
					? { kind: "refused", faults: error.faults }
					: { kind: "broken", message: messageOf(error) };
		}
	} finally {
		clearTimeout(slow);
	}
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
