/** The part of the time that all plots show. */

import { computed, effect, signal } from "@preact/signals";
import { timeS } from "../state/clock";
import { run, span } from "../state/store";
import type { Window } from "./columns";

/** The smallest part, as a share of the whole. */
const MIN_SHARE = 1e-4;

const zoomed = signal<Window | undefined>(undefined);

export const isZoomed = computed(() => zoomed.value !== undefined);

export const view = computed((): Window => {
	const { fromS, toS } = span.value;
	return zoomed.value ?? { fromS, toS: toS + 0.02 * (toS - fromS) };
});

export function showWhole(): void {
	zoomed.value = undefined;
}

export function zoomTo(window: Window): void {
	const { fromS, toS } = span.peek();
	const wholeS = (toS - fromS) * 1.02;
	const lengthS = Math.max(wholeS * MIN_SHARE, window.toS - window.fromS);
	if (lengthS >= wholeS) {
		zoomed.value = undefined;
		return;
	}
	const beginS = Math.min(Math.max(fromS, window.fromS), fromS + wholeS - lengthS);
	zoomed.value = { fromS: beginS, toS: beginS + lengthS };
}

/** Shows more or less around the clock; `factor` 2: twice as much detail. */
export function zoomBy(factor: number): void {
	const { fromS, toS } = view.peek();
	const lengthS = (toS - fromS) / factor;
	zoomTo({ fromS: timeS.peek() - lengthS / 2, toS: timeS.peek() + lengthS / 2 });
}

/** Another run has another length. A clock that leaves the view takes the view with it. */
export function startView(): void {
	effect(() => {
		run.value;
		zoomed.value = undefined;
	});
	effect(() => {
		const nowS = timeS.value;
		const window = zoomed.peek();
		if (window && (nowS < window.fromS || nowS > window.toS)) {
			const lengthS = window.toS - window.fromS;
			zoomTo({ fromS: nowS - 0.1 * lengthS, toS: nowS + 0.9 * lengthS });
		}
	});
}
