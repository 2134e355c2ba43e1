/**
 * Predict, then play: in the lesson about slow start the clock stops before a flight leaves, and
 * the page asks how many segments it has. Playing on is the answer.
 */

import { computed, effect, signal } from "@preact/signals";
import { packetsOf } from "../draw/packets";
import { type CaseRun, PacketKind } from "../engine/types";
import { LESSONS } from "../lessons";
import { isPlaying, seek, timeS } from "./clock";
import { lessonIndex, ranText, run } from "./store";

/** The lesson that asks. */
const LESSON = "slow-start";
/** Flights that are asked for: the first ones. */
const QUESTIONS = 4;
/** A flight ends where nothing is sent for longer than this. */
const GAP_RTTS = 0.1;
/** The question comes so long before the flight. */
const BEFORE_RTTS = 0.02;

/** Segments that leave one after the other, between two pauses of the sender. */
export interface Flight {
	beginS: number;
	segments: number;
}

export interface Question extends Flight {
	/** The clock stands here. */
	timeS: number;
	choices: number[];
}

/** The user wishes to be asked. */
export const asks = signal(true);
/** What the user has chosen for each flight; 0: nothing yet. */
export const guesses = signal<number[]>([]);

export const questions = computed(() => {
	const lesson = LESSONS.find(({ id }) => id === LESSON);
	const isOpen = lessonIndex.value !== undefined && LESSONS[lessonIndex.value] === lesson;
	const one = run.value?.cases[0];
	return one && isOpen && ranText.value === lesson?.toml ? questionsOf(one) : [];
});

/** The question before which the clock stands. */
export const openQuestion = computed(() => {
	const at = questions.value.findIndex((one) => one.timeS === timeS.value);
	return asks.value && at >= 0 && !guesses.value[at] ? at : undefined;
});

export function questionsOf(one: CaseRun): Question[] {
	return flightsOf(one)
		.slice(0, QUESTIONS)
		.map((flight, at) => ({
			...flight,
			timeS: flight.beginS - BEFORE_RTTS * one.rttS,
			choices: choicesFor(flight.segments, at),
		}));
}

/** The flights of the first transfer, without retransmissions. */
export function flightsOf(one: CaseRun): Flight[] {
	const { packets } = one;
	const flights: Flight[] = [];
	let lastS = Number.NEGATIVE_INFINITY;
	for (const at of packetsOf(one, PacketKind.Data)) {
		const sentS = packets.sentS[at] ?? Number.NaN;
		const last = flights.at(-1);
		if (last && sentS - lastS <= GAP_RTTS * one.rttS) {
			last.segments += 1;
		} else {
			flights.push({ beginS: sentS, segments: 1 });
		}
		lastS = sentS;
	}
	return flights;
}

/** Three numbers, each twice the one before. The right one has another place in each question. */
export function choicesFor(segments: number, question: number): number[] {
	const place = [1, 0, 2, 1][question % 4] ?? 1;
	return [0, 1, 2].map((at) => Math.max(1, Math.round(segments * 2 ** (at - place))));
}

export function guess(question: number, choice: number): void {
	guesses.value = Object.assign([...guesses.peek()], { [question]: choice });
	isPlaying.value = true;
}

/** Stops the clock at each question that it comes to while it plays. */
export function startPredicting(): void {
	let lastS = 0;
	effect(() => {
		questions.value;
		guesses.value = [];
		asks.value = true;
	});
	effect(() => {
		const nowS = timeS.value;
		const question = questions
			.peek()
			.find((one, at) => one.timeS > lastS && one.timeS < nowS && !guesses.peek()[at]);
		const stops = question !== undefined && asks.peek() && isPlaying.peek();
		lastS = stops ? question.timeS : nowS;
		if (stops) {
			isPlaying.value = false;
			seek(question.timeS);
		}
	});
}
