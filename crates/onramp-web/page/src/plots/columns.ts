/**
 * A series as a plot shows it: two values for each column of pixels, the smallest and the largest
 * in their order. A plot then has the same work for ten samples and for a million, and no peak is
 * lost.
 */

import { countUpTo } from "../draw/packets";

/** A quantity that keeps each value until the next one. */
export interface Steps {
	/** Ascending. */
	timeS: ArrayLike<number>;
	/** NaN: no value. */
	value: ArrayLike<number>;
	/** The last value holds until here. */
	untilS: number;
}

export interface Window {
	fromS: number;
	toS: number;
}

/** Times of the columns: two for each. */
export function columnTimes(window: Window, columns: number): number[] {
	const step = (window.toS - window.fromS) / (2 * columns);
	return Array.from({ length: 2 * columns }, (_, at) => window.fromS + at * step);
}

/** Values of a series at `columnTimes`; `null`: none. */
export function columnValues(steps: Steps, window: Window, columns: number): (number | null)[] {
	const { timeS, value } = steps;
	const width = (window.toS - window.fromS) / columns;
	const result: (number | null)[] = new Array(2 * columns).fill(null);
	let at = countUpTo(timeS, window.fromS);
	let held = value[at - 1] ?? Number.NaN;
	for (let column = 0; column < columns; column += 1) {
		const beginS = window.fromS + column * width;
		if (beginS > steps.untilS) {
			break;
		}
		let [low, high] = [held, held];
		let isLowFirst = true;
		for (; at < timeS.length && (timeS[at] ?? 0) < beginS + width; at += 1) {
			held = value[at] ?? Number.NaN;
			if (Number.isNaN(low) || held < low) {
				low = held;
				isLowFirst = false;
			}
			if (Number.isNaN(high) || held > high) {
				high = held;
				isLowFirst = true;
			}
		}
		const [first, second] = isLowFirst ? [low, high] : [high, low];
		result[2 * column] = Number.isNaN(first) ? null : first;
		result[2 * column + 1] = Number.isNaN(second) ? null : second;
	}
	return result;
}

/** The value at a time; NaN: none. */
export function valueAtTime(steps: Steps, timeS: number): number {
	return timeS > steps.untilS
		? Number.NaN
		: (steps.value[countUpTo(steps.timeS, timeS) - 1] ?? Number.NaN);
}
