import { useEffect, useState } from "preact/hooks";
import { isAtEnd, isPlaying, seek, shownStop, togglePlaying } from "../state/clock";
import { shippedAs, shortFragmentOf } from "../state/share";
import { isOutdated, rttS, run, scenario, scenarioText, span, status } from "../state/store";
import { runInWords } from "../state/words";
import { Stage } from "./Stage";
import { StatusLine } from "./StatusLine";

/** Before the first play the picture shows the path at this time: some packets are on it. */
const POSTER_RTTS = 3.2;

/** One figure of a scenario, for a frame of another page. */
export function EmbedView() {
	const text = scenarioText.value;
	const [link, setLink] = useState("index.html");
	const [hasPlayed, setHasPlayed] = useState(false);
	const one = shippedAs(text);
	const result = run.value;
	useEffect(() => {
		shortFragmentOf(text).then(
			(fragment) => setLink(`index.html${fragment}`),
			() => {},
		);
	}, [text]);
	useEffect(() => {
		if (result) {
			isPlaying.value = false;
			seek(span.peek().fromS + POSTER_RTTS * rttS.peek());
			setHasPlayed(false);
		}
	}, [result]);
	const play = () => {
		if (!hasPlayed) {
			seek(span.peek().fromS);
			setHasPlayed(true);
		}
		togglePlaying();
	};
	const label = isPlaying.value
		? "Pause"
		: hasPlayed && shownStop.value
			? "Go on"
			: hasPlayed && isAtEnd.value
				? "Replay"
				: "Play";
	return (
		<main class="embed" aria-busy={!result || isOutdated.value}>
			<h1>{one?.title ?? String(scenario.value?.name ?? "")}</h1>
			<StatusLine />
			{!result && status.value.kind === "running" && <p class="faint">Simulating …</p>}
			{result && (
				<>
					<p>{one ? result.description : runInWords(result)}</p>
					<Stage run={result} />
					<div class="row">
						<button type="button" class="main-action" onClick={play}>
							{label}
						</button>
						<a href={link} target="_blank" rel="noopener">
							Open in the Onramp playground
						</a>
					</div>
				</>
			)}
		</main>
	);
}
