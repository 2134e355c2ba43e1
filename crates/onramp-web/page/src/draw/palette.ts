/**
 * Colours and dash patterns, the same as in the project's reports
 * (crates/onramp-plot/src/colours.css): those of Okabe and Ito. A start-up has a marker too, and
 * kinds of packets have different shapes, so that colour is never alone.
 */

import { signal } from "@preact/signals";

export interface Palette {
	/** The font of the page at a size in pixels, for texts in pictures. */
	font(size: number, weight?: number): string;
	page: string;
	ink: string;
	faint: string;
	rule: string;
	grid: string;
	/** The edge of what has no colour of its own. */
	edge: string;
	head: string;
	/** Colours of the start-ups. */
	series: string[];
	/** The colour of the clock's line. */
	clock: string;
	phaseInk: string;
	/** The landscape behind a path. */
	sky: string;
	star: string;
	sea: string;
	/** The colour of other traffic. */
	others: string;
	/** Colours of the groups of phases (phases.ts). */
	phases: Record<string, string>;
}

/** Dash patterns of lines. */
export const DASHES = {
	solid: [],
	dashed: [6, 4],
	dotted: [2, 3],
	dashDot: [9, 3, 2, 3],
	level: [10, 4],
} satisfies Record<string, number[]>;

export type Dash = keyof typeof DASHES;

export const palette = signal<Palette>(read());

/** Takes the colours of the style sheet, which depend on the theme. */
export function updatePalette(): void {
	palette.value = read();
}

function read(): Palette {
	const style = getComputedStyle(document.documentElement);
	const of = (name: string) => style.getPropertyValue(`--${name}`).trim() || "#888";
	const family = of("font");
	return {
		font: (size, weight = 400) => `${weight} ${size}px ${family}`,
		page: of("page"),
		ink: of("ink"),
		faint: of("faint"),
		rule: of("rule"),
		grid: of("grid"),
		edge: of("edge"),
		head: of("head"),
		// Other traffic has `s5`.
		series: ["s0", "s1", "s2", "s3", "s4", "s6"].map(of),
		clock: of("worse"),
		phaseInk: of("phase-ink"),
		sky: of("sky"),
		star: of("star"),
		sea: of("sea"),
		others: of("s5"),
		phases: Object.fromEntries(
			["grow", "pace", "wait", "repair", "over"].map((name) => [name, of(`phase-${name}`)]),
		),
	};
}
