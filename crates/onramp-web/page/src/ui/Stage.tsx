import { effect } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Lane, laneHeight } from "../draw/lane";
import { palette } from "../draw/palette";
import { sceneOf } from "../draw/scene";
import type { CaseRun, Run, TransferRun } from "../engine/types";
import {
	isAtEnd,
	isPlaying,
	prefersStill,
	shownStop,
	shownTimeS,
	speed,
	timeS,
} from "../state/clock";
import { inOrder } from "../state/headline";
import { nameOf } from "../state/names";
import { momentOf } from "../state/words";
import { duration, grouped } from "../units";
import { Belief } from "./Belief";
import { Caption } from "./Caption";
import { SeriesMark } from "./SeriesMark";

/** A drop is seen for this part of a round trip, and for so long on the screen. */
const DROP_SEEN_RTTS = 0.15;
const DROP_SEEN_S = 0.7;

/** The paths of all start-ups, one above the other, on one clock. */
export function Stage({ run }: { run: Run }) {
	const isRace = run.cases.length > 2;
	const isOver = isRace && isAtEnd.value;
	const lanes = isOver ? inOrder(run) : run.cases.map((one, series) => ({ one, series }));
	const scene = run.cases[0] ? sceneOf(run.cases[0]) : "wire";
	return (
		<section class={isRace ? "stage race" : `stage scene-${scene}`} aria-labelledby="stage-title">
			<h2 id="stage-title" class="hidden">
				Packets on the path
			</h2>
			<div class="lanes">
				{lanes.map(({ one, series }, at) => (
					<article key={one.number}>
						<LaneFigure run={run} one={one} series={series} rank={isOver ? at + 1 : 0} />
					</article>
				))}
			</div>
			<Keys run={run} />
		</section>
	);
}

/** What the senders know at this moment, beside each other. */
export function Beliefs({ run }: { run: Run }) {
	return (
		<div class="beliefs">
			{run.cases.map((one, series) => (
				<Belief key={one.number} run={run} one={one} name={nameOf(run, one)} series={series} />
			))}
		</div>
	);
}

interface LaneProps {
	run: Run;
	one: CaseRun;
	series: number;
	/** From 1, when the race is over; 0: it is not, or there is none. */
	rank: number;
}

function LaneFigure({ run, one, series, rank }: LaneProps) {
	const name = nameOf(run, one);
	const lane = useMemo(() => new Lane(one), [one]);
	const transfer = one.transfers[0];
	const canvas = useRef<HTMLCanvasElement>(null);
	const [width, setWidth] = useState(0);
	useEffect(() => {
		const element = canvas.current?.parentElement;
		if (!element) {
			return;
		}
		const observer = new ResizeObserver(() => setWidth(element.clientWidth));
		observer.observe(element);
		return () => observer.disconnect();
	}, []);
	useEffect(() => {
		const context = canvas.current?.getContext("2d");
		if (!canvas.current || !context || width === 0) {
			return;
		}
		const ratio = devicePixelRatio;
		canvas.current.width = Math.round(width * ratio);
		canvas.current.height = Math.round(laneHeight(one, width) * ratio);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		return effect(() => {
			const { value } = palette;
			lane.draw(context, width, {
				timeS: timeS.value,
				dropSeenS: Math.max(DROP_SEEN_RTTS * one.rttS, DROP_SEEN_S * speed.value),
				dropsFall: isPlaying.value && !prefersStill(),
				palette: value,
				colour: value.series[series] ?? value.ink,
			});
		});
	}, [lane, width, one, series]);
	return (
		<figure>
			<figcaption>
				<SeriesMark series={series} />
				<b>{rank > 0 ? `${rank}. ${name}` : name}</b>
				{one.transfers.length > 1 && (
					<span class="faint">the first of {one.transfers.length} transfers</span>
				)}
				{transfer && <Phase transfer={transfer} />}
				<Drops lane={lane} />
				<Finish one={one} />
			</figcaption>
			<div class="canvas">
				<Explained one={one} series={series} width={width} />
				<canvas
					ref={canvas}
					style={{ height: `${laneHeight(one, width)}px` }}
					role="img"
					aria-label={`Packets of ${name} on the path: ${wayOf(one)}`}
				/>
			</div>
		</figure>
	);
}

/** The caption, while the clock stands at a moment of this start-up. */
function Explained(props: { one: CaseRun; series: number; width: number }) {
	const { one, series, width } = props;
	const stop = shownStop.value;
	return stop?.series === series ? <Caption stop={stop} one={one} width={width} /> : null;
}

/** What the start-up does at this moment. */
function Phase({ transfer }: { transfer: TransferRun }) {
	const moment = momentOf(transfer, shownTimeS.value);
	return moment.isDone ? null : <span class="faint">{moment.phase.toLowerCase()}</span>;
}

function Drops({ lane }: { lane: Lane }) {
	const count = lane.dropsUntil(shownTimeS.value);
	return <span class="faint">{count > 0 ? `✕ ${grouped(count)} dropped or lost` : ""}</span>;
}

/** The time of a transfer that is complete. */
function Finish({ one }: { one: CaseRun }) {
	const transfer = one.transfers[0];
	return transfer && shownTimeS.value >= transfer.completedS ? (
		<b class="finish">{duration(transfer.completedS - transfer.startS)}</b>
	) : null;
}

function wayOf(one: CaseRun): string {
	return one.nodes.join(", ");
}

/** What the shapes mean. */
function Keys({ run }: { run: Run }) {
	const hasOthers = run.cases.some((one) => one.flows.some((flow) => flow.transfer < 0));
	const interval = Math.max(...run.cases.map((one) => one.packetInterval));
	return (
		<p class="keys">
			<span>
				<i class="key data" /> data
			</span>
			<span>
				<i class="key again" /> retransmission
			</span>
			<span>
				<i class="key ack" /> ACK, handshake
			</span>
			<span>
				<b>✕</b> dropped
			</span>
			{hasOthers && (
				<span>
					<i class="key others" /> other traffic
				</span>
			)}
			{interval > 1 && <span>One of {interval} packets is drawn.</span>}
		</p>
	);
}
