/** Places and texts of ticks. */

import type { Window } from "./columns";

/** Distances of ticks that are round in a plot's unit. */
export function roundSteps(unit: number): number[] {
	const magnitudes = Array.from({ length: 24 }, (_, at) => 10 ** (at - 10));
	return magnitudes.flatMap((magnitude) => [1, 2, 5].map((n) => n * magnitude * unit));
}

/** Round times since the origin, some 90 pixels apart. */
export function ticks({ fromS, toS }: Window, originS: number, width: number): number[] {
	const least = (toS - fromS) / Math.max(2, width / 90);
	const magnitude = 10 ** Math.floor(Math.log10(least));
	const step = [1, 2, 5, 10].map((n) => n * magnitude).find((n) => n >= least) ?? least;
	const result: number[] = [];
	for (let n = Math.ceil((fromS - originS) / step - 1e-9); originS + n * step <= toS; n += 1) {
		result.push(originS + n * step);
	}
	return result;
}

/** A time at a tick. */
export function seconds(timeS: number): string {
	const rounded = Number(timeS.toPrecision(6));
	if (Math.abs(rounded) < 1e-12) {
		return "0 s";
	}
	return Math.abs(rounded) < 0.01 ? `${Number((rounded * 1e3).toPrecision(6))} ms` : `${rounded} s`;
}
