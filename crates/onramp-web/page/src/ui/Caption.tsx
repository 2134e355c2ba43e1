import { laneRows } from "../draw/lane";
import type { Stop } from "../state/stops";
import { duration } from "../units";
import { SeriesMark } from "./SeriesMark";

/** The part of the picture that a caption explains. */
const PLACES: Record<Stop["kind"], "sender" | "queue" | "link"> = {
	train: "sender",
	bursts: "sender",
	probe: "sender",
	paced: "sender",
	empty: "link",
	full: "queue",
};

/** What a moment shows, above the picture of its start-up, and its ACKs in it. */
export function Caption({ stop, width }: { stop: Stop; width: number }) {
	return (
		<>
			<p class={`caption at-${PLACES[stop.kind]} s${stop.series}`}>
				<SeriesMark series={stop.series} /> <span>{stop.words}</span>
			</p>
			{stop.acksS.length > 0 && <Magnifier stop={stop} width={width} />}
		</>
	);
}

const WIDTH = 300;
const HEIGHT = 40;
const EDGE = 10;
/** An ACK is at most so wide. */
const ACK_PX = 4;

/** The ACKs of a train as they arrive, on a time axis of their own: beside the sender, over the
 * return path, on which they are too close together to be seen. */
function Magnifier({ stop, width }: { stop: Stop; width: number }) {
	const { acksS, series } = stop;
	const firstS = acksS[0] ?? 0;
	const lastS = acksS.at(-1) ?? firstS;
	const ackPx = Math.min(ACK_PX, (WIDTH - 2 * EDGE) / (2 * acksS.length));
	const place = (atS: number) =>
		EDGE + ((WIDTH - 2 * EDGE) * (atS - firstS)) / Math.max(lastS - firstS, 1e-9);
	const { senderX, returnY } = laneRows(width);
	return (
		<svg
			class={`magnifier s${series}`}
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			style={{ left: `${senderX + 2}px`, top: `${returnY - HEIGHT / 2}px` }}
			role="img"
			aria-label={`${acksS.length} ACKs in ${duration(lastS - firstS)}`}
		>
			<line x1={EDGE} x2={WIDTH - EDGE} y1="22" y2="22" class="axis" />
			{acksS.map((atS, at) => (
				<rect key={String(at)} x={place(atS) - ackPx / 2} y="5" width={ackPx} height="17" />
			))}
			<text x={EDGE} y="35">
				{acksS.length} ACKs
			</text>
			<text x={WIDTH - EDGE} y="35" text-anchor="end">
				{duration(lastS - firstS)}
			</text>
		</svg>
	);
}
