import { ackPlace, isThin } from "../draw/lane";
import type { CaseRun } from "../engine/types";
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
export function Caption(props: { stop: Stop; one: CaseRun; width: number }) {
	const { stop, one, width } = props;
	return (
		<>
			<p class={`caption at-${PLACES[stop.kind]} s${stop.series}`}>
				<SeriesMark series={stop.series} /> <span>{stop.words}</span>
			</p>
			{stop.acksS.length > 0 && <Magnifier stop={stop} one={one} width={width} />}
		</>
	);
}

/** Width and height, on a phone and elsewhere. */
const THIN = [240, 40] as const;
const WIDE = [440, 54] as const;
const EDGE = 14;
/** An ACK is at most so wide. */
const ACK_PX = 5;

/** The ACKs of a train as they arrive, on a time axis of their own: beside the sender, over the
 * return path, on which they are too close together to be seen. */
function Magnifier({ stop, one, width }: { stop: Stop; one: CaseRun; width: number }) {
	const { acksS, series } = stop;
	const [lensWidth, height] = isThin(width) ? THIN : WIDE;
	const { left, bottom } = ackPlace(one, width);
	const axisY = height - 20;
	const firstS = acksS[0] ?? 0;
	const lastS = acksS.at(-1) ?? firstS;
	const ackPx = Math.min(ACK_PX, (lensWidth - 2 * EDGE) / (2 * acksS.length));
	const place = (atS: number) =>
		EDGE + ((lensWidth - 2 * EDGE) * (atS - firstS)) / Math.max(lastS - firstS, 1e-9);
	return (
		<svg
			class={`magnifier s${series}`}
			width={lensWidth}
			height={height}
			style={{ left: `${left + 2}px`, bottom: `${bottom}px` }}
			role="img"
			aria-label={`${acksS.length} ACKs in ${duration(lastS - firstS)}`}
		>
			<line x1={EDGE} x2={lensWidth - EDGE} y1={axisY} y2={axisY} class="axis" />
			{acksS.map((atS, at) => (
				<rect key={String(at)} x={place(atS) - ackPx / 2} y="6" width={ackPx} height={axisY - 6} />
			))}
			<text x={EDGE} y={height - 6}>
				{acksS.length} ACKs
			</text>
			<text x={lensWidth - EDGE} y={height - 6} text-anchor="end">
				{duration(lastS - firstS)}
			</text>
		</svg>
	);
}
