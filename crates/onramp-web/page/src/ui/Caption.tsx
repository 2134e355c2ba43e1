import type { Stop } from "../state/stops";
import { duration } from "../units";

/** What a moment shows, on the picture of its start-up. */
export function Caption({ stop }: { stop: Stop }) {
	return (
		<p class="caption">
			{stop.words}
			{stop.acksS.length > 0 && <Magnifier acksS={stop.acksS} />}
		</p>
	);
}

const WIDTH = 320;
const HEIGHT = 46;
const EDGE = 8;
/** More would be one block. */
const MAX_ACKS = 40;

/** The ACKs of a train as they arrive at the sender, on a time axis of their own. */
function Magnifier({ acksS }: { acksS: number[] }) {
	const shown = acksS.slice(0, MAX_ACKS);
	const firstS = shown[0] ?? 0;
	const lastS = shown.at(-1) ?? firstS;
	const place = (atS: number) =>
		EDGE + ((WIDTH - 2 * EDGE) * (atS - firstS)) / Math.max(lastS - firstS, 1e-9);
	return (
		<svg
			class="magnifier"
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			role="img"
			aria-label={`${shown.length} ACKs in ${duration(lastS - firstS)}`}
		>
			<line x1={EDGE} x2={WIDTH - EDGE} y1="26" y2="26" class="axis" />
			{shown.map((atS) => (
				<rect key={atS} x={place(atS) - 2} y="6" width="4" height="20" />
			))}
			<text x={EDGE} y="42">
				the ACKs at the sender
			</text>
			<text x={WIDTH - EDGE} y="42" text-anchor="end">
				{duration(lastS - firstS)}
			</text>
		</svg>
	);
}
