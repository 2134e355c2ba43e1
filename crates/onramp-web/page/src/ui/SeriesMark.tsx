/** The marker of a start-up: a shape of its own beside the colour. */

const SHAPES = [
	<circle cx="7" cy="7" r="4.5" />,
	<rect x="3" y="3" width="8" height="8" />,
	<path d="M7 1.5 12 10.5H2Z" />,
	<path d="M7 1 12.5 7 7 13 1.5 7Z" />,
];

export function SeriesMark({ series }: { series: number }) {
	return (
		<svg
			class={`mark s${series % 4}`}
			width="14"
			height="14"
			viewBox="0 0 14 14"
			aria-hidden="true"
		>
			{SHAPES[series % SHAPES.length]}
		</svg>
	);
}
