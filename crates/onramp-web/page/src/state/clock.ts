/** The clock: simulated time, for the animation, the cursors of the plots and all numbers. */

import { computed, effect, signal } from "@preact/signals";
import { type Stop, stops, stopsAreOn } from "./stops";
import { rttS, run, span } from "./store";

/** Simulated seconds per second. */
export const SPEEDS = [
	1 / 10_000,
	1 / 1000,
	1 / 500,
	1 / 200,
	1 / 100,
	1 / 50,
	1 / 20,
	1 / 10,
	1 / 5,
	1 / 2,
	1,
	10,
	100,
	1000,
];
/** The speed that is chosen for a path lets a round trip take at least this long. */
const ROUND_TRIP_SHOWN_S = 2;
/** The whole run takes no longer than this, if a speed allows it. */
const RUN_SHOWN_S = 30;
/** Numbers change at most so often: faster ones cannot be read. */
const NUMBERS_EVERY_MS = 100;

export const timeS = signal(0);
export const isPlaying = signal(false);
export const speed = signal(1 / 5);
/** `timeS` for numbers in words. */
export const shownTimeS = signal(0);
export const isAtEnd = computed(() => timeS.value >= span.value.toS);
/** The moment at which the clock stands, to be explained. */
export const shownStop = computed(() =>
	stopsAreOn.value ? stops.value.find((stop) => stop.timeS === timeS.value) : undefined,
);

/** The user wishes no motion that was not asked for. */
export function prefersStill(): boolean {
	return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function seek(toS: number): void {
	const { fromS, toS: endS } = span.peek();
	timeS.value = Math.min(endS, Math.max(fromS, toS));
}

/** Moves by round trips, to multiples of the RTT since the connect. */
export function step(roundTrips: number): void {
	const passed = (timeS.peek() - span.peek().fromS) / rttS.peek();
	const nearest = Math.round(passed);
	// A time on a multiple is not always exact.
	const isOn = Math.abs(passed - nearest) < 1e-6;
	const base = isOn ? nearest : roundTrips > 0 ? Math.floor(passed) : Math.ceil(passed);
	isPlaying.value = false;
	seek(span.peek().fromS + (base + roundTrips) * rttS.peek());
}

export function togglePlaying(): void {
	if (!isPlaying.peek() && isAtEnd.peek()) {
		seek(span.peek().fromS);
	}
	isPlaying.value = !isPlaying.peek();
}

/** The first moment to be explained from now on, up to this time. */
function nextStop(toS: number): Stop | undefined {
	return stops.peek().find((stop) => stop.timeS > timeS.peek() && stop.timeS <= toS);
}

/** The speed at which a round trip can be watched, or a faster one for a run of many. */
export function speedFor(roundTripS: number, runS: number): number {
	const watched = SPEEDS.findLast((one) => one <= roundTripS / ROUND_TRIP_SHOWN_S) ?? 0;
	return SPEEDS.find((one) => one >= watched && one * RUN_SHOWN_S >= runS) ?? SPEEDS.at(-1) ?? 1;
}

/** Keeps the clock inside the run, and moves it while it plays. */
export function startClock(): void {
	let shownName: string | undefined;
	let chosen = 0;
	let wasAtEnd = false;
	effect(() => {
		const { value } = run;
		if (!value) {
			return;
		}
		const isOther = value.name !== shownName;
		shownName = value.name;
		const { fromS, toS } = span.peek();
		const fitting = speedFor(rttS.peek(), toS - fromS);
		// The user's choice stays while the path and the run are about the same.
		if (isOther || fitting > 2.5 * chosen || chosen > 2.5 * fitting) {
			speed.value = fitting;
			chosen = fitting;
		}
		if (isOther) {
			seek(span.peek().fromS);
			isPlaying.value = !prefersStill();
		} else {
			// An edit: the clock stays, so that one moment can be compared.
			seek(wasAtEnd ? span.peek().toS : timeS.peek());
		}
	});
	effect(() => {
		wasAtEnd = timeS.value >= span.peek().toS;
	});
	let last: number | undefined;
	const tick = (nowMs: number) => {
		if (!isPlaying.peek()) {
			last = undefined;
			return;
		}
		// A page in the background gets no frames. Its clock stands still.
		const passedS = last === undefined ? 0 : Math.min(0.1, (nowMs - last) / 1000);
		last = nowMs;
		const toS = timeS.peek() + passedS * speed.peek();
		const stop = stopsAreOn.peek() ? nextStop(toS) : undefined;
		seek(stop ? stop.timeS : toS);
		if (stop || isAtEnd.peek()) {
			isPlaying.value = false;
		}
		requestAnimationFrame(tick);
	};
	effect(() => {
		if (isPlaying.value) {
			requestAnimationFrame(tick);
		}
	});
	let waits = false;
	effect(() => {
		timeS.value;
		if (!waits) {
			waits = true;
			shownTimeS.value = timeS.peek();
			setTimeout(() => {
				waits = false;
				shownTimeS.value = timeS.peek();
			}, NUMBERS_EVERY_MS);
		}
	});
}
