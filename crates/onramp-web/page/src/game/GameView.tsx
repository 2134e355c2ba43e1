import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { palette } from "../draw/palette";
import type { Run } from "../engine/types";
import { go, route } from "../state/route";
import { setScenario } from "../state/store";
import { copyText } from "../ui/copy";
import { SeriesMark } from "../ui/SeriesMark";
import { bitRate, duration } from "../units";
import { BOARD_HEIGHT, drawBoard } from "./board";
import {
	type Course,
	codeOf,
	courseOf,
	randomSeed,
	readCode,
	verdict,
	wholeScenario,
} from "./course";
import { Game, resultOf } from "./play";

/** Places of the colours: CUBIC and onramp as in the playground, the player's own, and losses. */
const SERIES = { cubic: 0, onramp: 1, you: 3, lost: 2 };
const ANNOUNCED_EVERY_MS = 3000;

/** The game: the visitor sends by hand, over a path that the visitor does not see. */
export function GameView() {
	const code = route.value.kind === "game" ? route.value.code : "";
	const read = useMemo(() => readCode(code), [code]);
	const [round, setRound] = useState(0);
	// A code that is none, or empty: any path.
	const course = useMemo(() => read?.course ?? courseOf(randomSeed()), [read]);
	const shared = read?.ticks.length ? read.ticks : undefined;
	const isShared = shared !== undefined && round === 0;
	const game = useMemo(
		() => (isShared ? Game.of(course, shared) : new Game(course)),
		[course, shared, isShared, round],
	);
	useEffect(() => () => game.close(), [game]);
	useEffect(() => {
		if (!read) {
			history.replaceState(null, "", `#game/${codeOf(course)}`);
		}
	}, [read, course]);
	useEffect(() => setRound(0), [code]);
	return (
		<>
			<header class="head">
				<h1>Beat onramp</h1>
				<div class="actions">
					<button type="button" onClick={() => go(`#game/${randomSeed()}`)}>
						New path
					</button>
					<button type="button" onClick={() => go("")}>
						Playground
					</button>
				</div>
			</header>
			<main class="game">
				{!read && code !== "" && (
					<p class="banner" role="alert">
						The link is not a game of this page. Here is another path.
					</p>
				)}
				{isShared ? <SharedTask /> : !game.result.value && <Task course={course} />}
				{!isShared && <Play game={game} />}
				<Outcome game={game} isShared={isShared} again={() => setRound(round + 1)} />
			</main>
		</>
	);
}

function Task({ course }: { course: Course }) {
	return (
		<div class="task">
			<p class="headline">Send {course.segments} segments, as fast as the path allows.</p>
			<p class="standfirst">
				Hold the <b>space bar</b>, or the button: segments leave faster than the path carries. Their
				ACKs come back after a round trip of {course.rttMs} ms, slowed down to two seconds. What the
				queue cannot hold is lost, and sent again first. With more than {course.allowedLosses}{" "}
				losses you do not win.
			</p>
		</div>
	);
}

function SharedTask() {
	return (
		<div class="task">
			<p class="headline">Somebody has played this path by hand. Can you do better?</p>
			<p class="standfirst">
				The simulator has computed the result again from each press of the key.
			</p>
		</div>
	);
}

/** The board, the numbers and the key. */
function Play({ game }: { game: Game }) {
	const stage = game.stage.value;
	useHeldKey(game);
	return (
		<section class="play-area" aria-label="The game">
			<Board game={game} />
			<Figures game={game} />
			{(stage === "ready" || stage === "playing") && <HoldButton game={game} />}
			{stage === "judging" && <p>The simulator computes the result …</p>}
			{stage === "failed" && (
				<p class="banner wrong" role="alert">
					{game.message.value}
				</p>
			)}
		</section>
	);
}

function HoldButton({ game }: { game: Game }) {
	const rest = game.course.segments - game.numbers.value.written;
	return (
		<button
			type="button"
			class="hold"
			disabled={rest === 0}
			aria-pressed={game.isHeld.value}
			onPointerDown={(event) => {
				event.currentTarget.setPointerCapture(event.pointerId);
				game.press();
			}}
			onPointerUp={() => game.release()}
			onPointerCancel={() => game.release()}
			onContextMenu={(event) => event.preventDefault()}
		>
			{rest > 0 ? "Hold to send" : "All sent: wait for the ACKs"}
		</button>
	);
}

/** The space bar, wherever no other button has the focus. */
function useHeldKey(game: Game): void {
	useEffect(() => {
		const isOurs = (event: KeyboardEvent) =>
			event.key === " " &&
			!event.ctrlKey &&
			!(event.target instanceof Element && event.target.closest("button:not(.hold), a, dialog"));
		const down = (event: KeyboardEvent) => {
			if (isOurs(event)) {
				event.preventDefault();
				if (!event.repeat) {
					game.press();
				}
			}
		};
		const up = (event: KeyboardEvent) => {
			if (event.key === " ") {
				game.release();
			}
		};
		const release = () => game.release();
		addEventListener("keydown", down);
		addEventListener("keyup", up);
		addEventListener("blur", release);
		return () => {
			removeEventListener("keydown", down);
			removeEventListener("keyup", up);
			removeEventListener("blur", release);
		};
	}, [game]);
}

function Board({ game }: { game: Game }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	useEffect(() => {
		let [lastMs, frame] = [performance.now(), 0];
		const tick = (nowMs: number) => {
			game.advance((nowMs - lastMs) / 1000, nowMs);
			lastMs = nowMs;
			draw(canvas.current, game);
			frame = requestAnimationFrame(tick);
		};
		frame = requestAnimationFrame(tick);
		return () => cancelAnimationFrame(frame);
	}, [game]);
	return (
		<div class="board">
			<canvas
				ref={canvas}
				style={{ height: `${BOARD_HEIGHT}px` }}
				role="img"
				aria-label="Segments that leave you, ACKs that come back, and both over time"
			/>
		</div>
	);
}

function draw(canvas: HTMLCanvasElement | null, game: Game): void {
	const context = canvas?.getContext("2d");
	if (!canvas || !context) {
		return;
	}
	const ratio = devicePixelRatio;
	const width = canvas.clientWidth;
	if (canvas.width !== Math.round(width * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(BOARD_HEIGHT * ratio);
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	const colours = palette.peek();
	const of = (series: number) => colours.series[series] ?? colours.ink;
	const [sent, acked, lost] = [of(SERIES.you), of(SERIES.onramp), of(SERIES.lost)];
	drawBoard(context, width, game, { palette: colours, sent, acked, lost });
}

function Figures({ game }: { game: Game }) {
	const { written, acknowledged, retransmitted, rttS, minRttS, timeS } = game.numbers.value;
	const { segments, allowedLosses } = game.course;
	const rows: [name: string, value: string, aside: string][] = [
		["time", `${timeS.toFixed(2)} s`, ""],
		["sent", String(written), `of ${segments}`],
		["acknowledged", String(acknowledged), ""],
		["lost", String(retransmitted), `${allowedLosses} allowed`],
		["RTT", duration(rttS), Number.isNaN(rttS) ? "" : `least ${duration(minRttS)}`],
	];
	return (
		<>
			<dl class="figures">
				{rows.map(([name, value, aside]) => (
					<div key={name}>
						<dt>{name}</dt>
						<dd class="number">
							{value} <small>{aside}</small>
						</dd>
					</div>
				))}
			</dl>
			<Announcement game={game} />
		</>
	);
}

/** The numbers for screen readers, now and then. */
function Announcement({ game }: { game: Game }) {
	const [words, setWords] = useState("");
	useEffect(() => {
		const timer = setInterval(() => {
			const { written, acknowledged, retransmitted } = game.numbers.peek();
			if (game.stage.peek() === "playing") {
				setWords(`${written} sent, ${acknowledged} acknowledged, ${retransmitted} lost.`);
			}
		}, ANNOUNCED_EVERY_MS);
		return () => clearInterval(timer);
	}, [game]);
	return (
		<p class="hidden" role="status">
			{words}
		</p>
	);
}

function Outcome(props: { game: Game; isShared: boolean; again: () => void }) {
	const { game, isShared, again } = props;
	const run = game.result.value;
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		if (run) {
			heading.current?.focus();
		}
	}, [run]);
	if (!run) {
		return game.stage.value === "failed" ? (
			<div class="row">
				<button type="button" onClick={again}>
					Again
				</button>
			</div>
		) : null;
	}
	const [you, cubic, onramp] = run.cases.map(resultOf);
	if (!you || !cubic || !onramp) {
		return null;
	}
	const who = isShared ? "The player" : "You";
	const said = verdict(game.course, you, cubic, onramp, who);
	return (
		<section class="outcome" aria-labelledby="verdict">
			<h2 id="verdict" ref={heading} tabIndex={-1}>
				{said}
			</h2>
			<Scores run={run} who={isShared ? "the player" : "you"} />
			<p class="faint">{pathInWords(game.course)}</p>
			<div class="row">
				<button type="button" class="main-action" onClick={again}>
					{isShared ? "Play this path" : "Same path again"}
				</button>
				<CopyScore game={game} />
				<button
					type="button"
					onClick={() => {
						setScenario(wholeScenario(game.course, game.ticks));
						go("");
					}}
				>
					Watch all three in the playground
				</button>
			</div>
		</section>
	);
}

/** The path, once it is known. */
function pathInWords({ rateBitsPerS, rttMs, queuePackets }: Course): string {
	const rate = bitRate(rateBitsPerS / 8);
	return `The path: ${rate}, ${rttMs} ms, a queue of ${queuePackets} packets. All times count from
		the connect, and are the simulator's.`;
}

function Scores({ run, who }: { run: Run; who: string }) {
	const results = run.cases.map(resultOf);
	const longest = Math.max(...results.map(({ timeS }) => timeS || 0));
	const rows = [
		{ name: who, series: SERIES.you },
		{ name: "CUBIC", series: SERIES.cubic },
		{ name: "onramp", series: SERIES.onramp },
	];
	return (
		<table class="scores">
			<thead>
				<tr>
					<th scope="col">sender</th>
					<th scope="col">time</th>
					<th scope="col">lost</th>
				</tr>
			</thead>
			<tbody>
				{rows.map(({ name, series }, at) => {
					const { timeS = Number.NaN, retransmitted = 0 } = results[at] ?? {};
					return (
						<tr key={name}>
							<th scope="row">
								<SeriesMark series={series} /> {name}
							</th>
							<td class="number">
								<i
									class={`s${series}`}
									style={{ width: `${(55 * (timeS || longest)) / longest}%` }}
								/>
								{duration(timeS)}
							</td>
							<td class="number">{retransmitted}</td>
						</tr>
					);
				})}
			</tbody>
		</table>
	);
}

function CopyScore({ game }: { game: Game }) {
	const [message, setMessage] = useState("");
	const copy = async () => {
		const link = `${location.href.replace(/#.*$/s, "")}#game/${codeOf(game.course, game.ticks)}`;
		try {
			await copyText(link);
			setMessage("Link copied");
		} catch (error) {
			setMessage(error instanceof Error ? error.message : String(error));
		}
	};
	return (
		<>
			<button type="button" onClick={() => void copy()}>
				Copy a link to this score
			</button>
			<span class="toast" role="status">
				{message}
			</span>
		</>
	);
}
