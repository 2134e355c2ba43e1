/** The address of the page follows the scenario, and the scenario follows the address. */

import { batch, effect } from "@preact/signals";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { type Fragment, fragmentOf, LinkError, readFragment } from "./link";
import { type Route, route, routeOf } from "./route";
import {
	lessonIndex,
	linkMessage,
	openLesson,
	openPreset,
	scenarioText,
	setScenario,
} from "./store";

/** Changes within this time are one entry of the history. */
const ONE_ENTRY_MS = 1500;

let shown = "";
let lastEntryMs = Number.NEGATIVE_INFINITY;

/** Shows the scenario of the address, or the first preset. */
export async function startHistory(): Promise<void> {
	await openAddress();
	addEventListener("popstate", () => void openAddress());
	addEventListener("hashchange", () => void openAddress());
	effect(() => {
		if (route.value.kind === "playground") {
			void writeAddress(scenarioText.value, lessonIndex.value);
		}
	});
}

async function openAddress(): Promise<void> {
	if (location.hash === shown && scenarioText.peek() !== "") {
		return;
	}
	shown = location.hash;
	// What follows from an address is no entry of its own.
	lastEntryMs = performance.now();
	linkMessage.value = "";
	const to = routeOf(shown);
	try {
		const fragment = await scenarioOf(to);
		// In between, the address of the old scenario would be written over this one.
		batch(() => {
			route.value = to;
			open(fragment);
		});
	} catch (error) {
		route.value = to;
		linkMessage.value = error instanceof Error ? error.message : String(error);
	}
	if (scenarioText.peek() === "") {
		setScenario(PRESETS[0]?.toml ?? "");
	}
}

function open(fragment: Fragment): void {
	if (fragment.kind === "scenario") {
		lessonIndex.value = undefined;
		setScenario(fragment.text);
	} else if (fragment.kind !== "none" && !openNamed(fragment.kind, fragment.id)) {
		throw new LinkError(`The link names a ${fragment.kind} that this page does not have.`);
	}
}

/** The scenario that the address names: none in the game, which leaves that of the playground. */
async function scenarioOf(to: Route): Promise<Fragment> {
	return to.kind === "game"
		? { kind: "none" }
		: readFragment(to.kind === "embed" ? to.fragment : location.hash);
}

function openNamed(kind: "preset" | "lesson", id: string): boolean {
	if (kind === "preset") {
		return openPreset(id);
	}
	const index = LESSONS.findIndex((lesson) => lesson.id === id);
	openLesson(index);
	return index >= 0;
}

async function writeAddress(text: string, lesson: number | undefined): Promise<void> {
	const ofLesson = lesson === undefined ? undefined : LESSONS[lesson];
	let fragment: string;
	try {
		fragment = ofLesson?.toml === text ? `#lesson/${ofLesson.id}` : await fragmentOf(text);
	} catch {
		// The scenario is too long for an address. Copying the link says so.
		return;
	}
	if (text !== scenarioText.peek() || fragment === shown) {
		return;
	}
	const nowMs = performance.now();
	const isNew = shown !== "" && nowMs - lastEntryMs > ONE_ENTRY_MS;
	lastEntryMs = nowMs;
	shown = fragment;
	if (isNew) {
		history.pushState(null, "", fragment);
	} else {
		history.replaceState(null, "", fragment);
	}
}
