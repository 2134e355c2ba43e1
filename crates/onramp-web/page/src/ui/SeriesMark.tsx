/** The marker of a start-up: a shape of its own beside the colour. */

/** In a square of 14 units: circle, square, triangle, diamond, triangle on its tip, cross. */
export const MARK_PATHS = [
	"M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0 -9Z",
	"M3 3h8v8H3Z",
	"M7 1.5 12 10.5H2Z",
	"M7 1 12.5 7 7 13 1.5 7Z",
	"M2 3.5h10L7 12.5Z",
	"M5.5 2h3v3.5H12v3H8.5V12h-3V8.5H2v-3h3.5Z",
];

export function SeriesMark({ series }: { series: number }) {
	return (
		<svg
			class={`mark s${series % MARK_PATHS.length}`}
			width="14"
			height="14"
			viewBox="0 0 14 14"
			aria-hidden="true"
		>
			<path d={MARK_PATHS[series % MARK_PATHS.length]} />
		</svg>
	);
}
