/**
 * The state of the page. The scenario's text is all that a link, the command line and the engine
 * get; the rest is what the page shows of it.
 */

import { computed, signal } from "@preact/signals";
import type { CaseRun, Facts, Fault, Progress, Run, TransferRun } from "../engine/types";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { edited, isSame, type Key, keyAtLine, parsed, type TomlValue, valueAt } from "./scenario";
import { commonKeys } from "./transfers";

/** What the engine does. */
export type Status =
	| { kind: "starting" }
	| { kind: "idle" }
	| { kind: "running"; progress: Progress | undefined; isSlow: boolean }
	| { kind: "cancelled" }
	| { kind: "refused"; faults: Fault[] }
	| { kind: "broken"; message: string };

export const scenarioText = signal("");
export const status = signal<Status>({ kind: "starting" });
export const facts = signal<Facts | undefined>(undefined);
/** The last run that ended, and the scenario that it ran. */
export const run = signal<Run | undefined>(undefined);
export const ranText = signal("");
/** Index in `LESSONS`; `undefined`: no lesson. */
export const lessonIndex = signal<number | undefined>(undefined);
/** A message about the link that was opened; empty: none. */
export const linkMessage = signal("");

/** The scenario's table; `undefined` while its text is no TOML. */
export const scenario = computed(() => {
	try {
		return parsed(scenarioText.value);
	} catch {
		return undefined;
	}
});

/** The preset that is shown, unless it was changed. */
export const preset = computed(() => PRESETS.find((one) => one.toml === scenarioText.value));

/** The result is of another scenario than the text. */
export const isOutdated = computed(
	() => run.value !== undefined && ranText.value !== scenarioText.value,
);

/** The engine works on a result. */
export const isBusy = computed(
	() => status.value.kind === "starting" || status.value.kind === "running",
);

/** Each fault with the key on whose line it is. */
export const faults = computed(() => {
	const { value } = status;
	const list = value.kind === "refused" ? value.faults : [];
	return list.map((fault) => ({
		fault,
		key: fault.line === undefined ? undefined : keyAtLine(scenarioText.value, fault.line),
	}));
});

/** The measured transfer that the page shows of a case: the first. */
export function shownTransfer(one: CaseRun): TransferRun | undefined {
	return one.transfers[0];
}

/** The part of the clock that the page shows: from the first connect to the last byte. */
export const span = computed(() => {
	const cases = run.value?.cases ?? [];
	const starts = cases.flatMap((one) => one.transfers.map((transfer) => transfer.startS));
	const ends = cases.map((one) => {
		const done = one.transfers.map((transfer) => transfer.completedS);
		return done.some(Number.isNaN) || done.length === 0 ? one.endS : Math.max(...done);
	});
	const fromS = starts.length > 0 ? Math.min(...starts) : 0;
	const toS = Math.max(fromS + 1e-6, ...ends);
	return { fromS, toS };
});

/** A round trip of the path: the step of the clock. */
export const rttS = computed(() => run.value?.cases[0]?.rttS ?? 0.1);

export function setScenario(text: string): void {
	scenarioText.value = text;
}

/** Writes one value; `undefined` removes its key. Transfers with the same value get it too. */
export function editKey(key: Key, value: TomlValue | undefined): void {
	const table = scenario.peek();
	if (table && !isSame(valueAt(table, key), value)) {
		const keys = commonKeys(table, key);
		setScenario(keys.reduce((text, one) => edited(text, one, value), scenarioText.peek()));
	}
}

export function openPreset(id: string): boolean {
	const found = PRESETS.find((one) => one.id === id);
	if (found) {
		lessonIndex.value = undefined;
		setScenario(found.toml);
	}
	return found !== undefined;
}

export function openLesson(index: number): void {
	const lesson = LESSONS[index];
	if (lesson) {
		lessonIndex.value = index;
		setScenario(lesson.toml);
	}
}

/** The same scenario with other random numbers. */
export function again(): void {
	const seed = scenario.peek()?.seed;
	const next = typeof seed === "number" || typeof seed === "bigint" ? BigInt(seed) + 1n : 2n;
	const isSafe = next <= BigInt(Number.MAX_SAFE_INTEGER);
	editKey(["seed"], isSafe ? Number(next) : 1);
}
