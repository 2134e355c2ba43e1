import { isPlaying, timeS } from "../state/clock";
import { asks, guess, guesses, openQuestion, type Question, questions } from "../state/predict";

/** Asks how many segments the next flight has. Whoever plays on without an answer goes on. */
export function Predict() {
	const list = questions.value;
	if (list.length === 0) {
		return null;
	}
	const at = openQuestion.value;
	const question = at === undefined ? undefined : list[at];
	const words = [said(list), question ? "How many segments does slow start send next?" : ""].filter(
		Boolean,
	);
	return (
		<section class="predict" aria-label="Predict, then play" hidden={words.length === 0}>
			<p role="status">{words.join(" ")}</p>
			{question && at !== undefined && (
				<div class="row">
					{question.choices.map((choice) => (
						<button type="button" key={choice} onClick={() => guess(at, choice)}>
							{choice}
						</button>
					))}
					<button
						type="button"
						class="plain"
						onClick={() => {
							asks.value = false;
							isPlaying.value = true;
						}}
					>
						Do not ask
					</button>
				</div>
			)}
		</section>
	);
}

/** What came of the last guess, once its flight has left. */
function said(list: Question[]): string {
	const at = list.findLastIndex((one, place) => one.beginS < timeS.value && guesses.value[place]);
	const flight = list[at];
	if (!flight) {
		return "";
	}
	const before = list[at - 1];
	const isDouble = before && flight.segments === 2 * before.segments;
	const why = before
		? isDouble
			? ": twice as many as before, two for each ACK"
			: ""
		: ": the initial window of Linux";
	const verdict = guesses.value[at] === flight.segments ? "Right" : `Not ${guesses.value[at]}`;
	return `${verdict}: ${flight.segments} segments${why}.`;
}
