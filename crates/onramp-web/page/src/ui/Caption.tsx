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
/** An ACK is at most so wide. */
const ACK_PX = 4;

/** The ACKs of a train as they arrive at the sender, on a time axis of their own. */
function Magnifier({ acksS }: { acksS: number[] }) {
	const firstS = acksS[0] ?? 0;
	const lastS = acksS.at(-1) ?? firstS;
	const width = Math.min(ACK_PX, (WIDTH - 2 * EDGE) / (2 * acksS.length));
	const place = (atS: number) =>
		EDGE + ((WIDTH - 2 * EDGE) * (atS - firstS)) / Math.max(lastS - firstS, 1e-9);
	return (
		<svg
			class="magnifier"
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			role="img"
			aria-label={`${acksS.length} ACKs in ${duration(lastS - firstS)}`}
		>
			<line x1={EDGE} x2={WIDTH - EDGE} y1="26" y2="26" class="axis" />
			{acksS.map((atS, at) => (
				<rect key={String(at)} x={place(atS) - width / 2} y="6" width={width} height="20" />
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
