import { useEffect, useState } from "preact/hooks";
import {
	isAtEnd,
	isPlaying,
	SPEEDS,
	seek,
	shownStop,
	shownTimeS,
	speed,
	step,
	timeS,
	togglePlaying,
} from "../state/clock";
import { nameOf } from "../state/names";
import { stops, stopsAreOn } from "../state/stops";
import { rttS, run, span } from "../state/store";
import { momentInWords, momentOf } from "../state/words";
import { clockTime, grouped, significant } from "../units";

/** A moment is read out when the clock has stood still for this long. */
const STILL_MS = 500;
const SCRUB_STEPS = 10_000;

/** The clock's controls. */
export function Transport() {
	const { fromS, toS } = span.value;
	const passedS = timeS.value - fromS;
	const share = Math.round((SCRUB_STEPS * passedS) / (toS - fromS));
	const time = clockTime(shownTimeS.value - fromS, (toS - fromS) / 1000);
	return (
		<section class="transport" aria-label="Clock">
			<div class="buttons">
				<button type="button" aria-label="To the beginning" onClick={() => seek(fromS)}>
					<Icon path="M4 3h2v10H4zM13 3v10L7 8z" />
				</button>
				<button type="button" aria-label="−RTT: back by a round trip" onClick={() => step(-1)}>
					−RTT
				</button>
				<button type="button" class="play" onClick={togglePlaying}>
					{isPlaying.value
						? "Pause"
						: shownStop.value
							? "Go on"
							: isAtEnd.value
								? "Replay"
								: "Play"}
				</button>
				<button type="button" aria-label="+RTT: on by a round trip" onClick={() => step(1)}>
					+RTT
				</button>
				<button type="button" aria-label="To the end" onClick={() => seek(toS)}>
					<Icon path="M10 3h2v10h-2zM3 3v10l6-5z" />
				</button>
			</div>
			<input
				class="scrub"
				type="range"
				min={0}
				max={SCRUB_STEPS}
				value={share}
				aria-label="Time"
				aria-valuetext={time}
				onInput={(event) => {
					seek(fromS + ((toS - fromS) * event.currentTarget.valueAsNumber) / SCRUB_STEPS);
				}}
			/>
			<output class="number">
				{time}
				<small> RTT {significant((shownTimeS.value - fromS) / rttS.value, 3)}</small>
			</output>
			<label>
				<span class="hidden">Speed</span>
				<select
					value={String(speed.value)}
					onChange={(event) => {
						speed.value = Number(event.currentTarget.value);
					}}
				>
					{SPEEDS.map((one) => (
						<option key={one} value={String(one)}>
							{speedInWords(one)}
						</option>
					))}
				</select>
			</label>
			{stops.value.length > 0 && (
				<button
					type="button"
					class="stops"
					aria-pressed={stopsAreOn.value}
					title="Play stops where a caption explains the picture"
					onClick={() => {
						stopsAreOn.value = !stopsAreOn.value;
					}}
				>
					Explain
				</button>
			)}
			<Announcement />
		</section>
	);
}

function speedInWords(speed: number): string {
	if (speed === 1) {
		return "real time";
	}
	return speed > 1 ? `× ${grouped(speed)}` : `1/${grouped(1 / speed)}`;
}

function Icon({ path }: { path: string }) {
	return (
		<svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
			<path d={path} />
		</svg>
	);
}

/** The text alternative of the picture, for the moment at which the clock stands. */
function Announcement() {
	const [words, setWords] = useState("");
	const nowS = shownTimeS.value;
	const explained = shownStop.value?.words ?? "";
	const result = run.value;
	const isStill = !isPlaying.value;
	useEffect(() => {
		if (!result || !isStill) {
			return;
		}
		const wait = setTimeout(() => {
			const moments = result.cases.flatMap((one) => {
				const transfer = one.transfers[0];
				return transfer ? [momentInWords(nameOf(result, one), momentOf(transfer, nowS))] : [];
			});
			const { fromS, toS } = span.peek();
			const at = clockTime(nowS - fromS, (toS - fromS) / 1000);
			setWords([`At ${at}.`, explained, ...moments].filter(Boolean).join(" "));
		}, STILL_MS);
		return () => clearTimeout(wait);
	}, [nowS, result, isStill, explained]);
	return (
		<p class="hidden" role="status" id="moment">
			{words}
		</p>
	);
}
