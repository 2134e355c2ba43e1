/** A game that is being played: the clock, the key, and what the simulator says so far. */

import { signal } from "@preact/signals";
import { countUpTo, packetsOf } from "../draw/packets";
import { type CaseRun, PacketKind, type Run } from "../engine/types";
import { valueAtTime } from "../plots/columns";
import { simulate } from "../state/runner";
import { completionS } from "../state/seeds";
import {
	type Course,
	MAX_ROUND_TRIPS,
	partScenario,
	type Result,
	tickS,
	wholeScenario,
} from "./course";

/** Real time of a round trip. */
const ROUND_TRIP_SHOWN_S = 2;
/** The simulator looks ahead by this part of a round trip. No ACK comes back that early, so what
 * the player does meanwhile changes nothing of it. */
const AHEAD_RTTS = 0.5;
/** Real time between two numbers: faster ones cannot be read. */
const NUMBERS_EVERY_MS = 100;
/** A page in the background gets no frames. Its clock stands still. */
const MAX_FRAME_S = 0.1;

/** What the sender knows. */
export interface Numbers {
	written: number;
	acknowledged: number;
	retransmitted: number;
	/** The last RTT sample, and the smallest; NaN before the first. */
	rttS: number;
	minRttS: number;
	timeS: number;
}

const NOTHING: Numbers = {
	written: 0,
	acknowledged: 0,
	retransmitted: 0,
	rttS: Number.NaN,
	minRttS: Number.NaN,
	timeS: 0,
};

export type Stage = "ready" | "playing" | "judging" | "done" | "failed";

/** The times at which the sender sees something, since the first segment left. */
export interface Seen {
	acksS: Float64Array;
	/** Segments that each ACK acknowledges; 0: a duplicate. */
	acked: Float64Array;
	retransmittedS: Float64Array;
}

export class Game {
	readonly course: Course;
	readonly stage = signal<Stage>("ready");
	readonly numbers = signal<Numbers>(NOTHING);
	readonly isHeld = signal(false);
	/** All three, when the game is over. */
	readonly result = signal<Run | undefined>(undefined);
	readonly message = signal("");
	/** Ticks at which a segment left. */
	ticks: number[] = [];
	/** Since the first segment. */
	nowS = 0;
	seen: Seen = {
		acksS: new Float64Array(),
		acked: new Float64Array(),
		retransmittedS: new Float64Array(),
	};
	private readonly speed: number;
	private part: CaseRun | undefined;
	/** When the first segment left, in the simulation. */
	private firstS = 0;
	/** The part holds until here, and has so many segments. */
	private knownS = 0;
	private knownTicks = 0;
	private isAsking = false;
	/** A press that was shorter than a frame. */
	private owesOne = false;
	private nextTick = 0;
	private numbersAtMs = 0;
	private isClosed = false;

	constructor(course: Course) {
		this.course = course;
		this.speed = course.rttMs / 1000 / ROUND_TRIP_SHOWN_S;
	}

	/** The game of somebody else, to be shown. */
	static of(course: Course, ticks: number[]): Game {
		const game = new Game(course);
		game.ticks = ticks;
		void game.judge();
		return game;
	}

	get rttS(): number {
		return this.course.rttMs / 1000;
	}

	press(): void {
		if (this.stage.peek() === "ready") {
			this.stage.value = "playing";
		}
		if (this.stage.peek() === "playing") {
			this.isHeld.value = true;
			this.owesOne = true;
		}
	}

	release(): void {
		this.isHeld.value = false;
	}

	/** Ends a game that is left. */
	close(): void {
		this.isClosed = true;
	}

	/** A frame of the page. */
	advance(passedS: number, nowMs: number): void {
		if (this.stage.peek() !== "playing") {
			return;
		}
		this.nowS += Math.min(MAX_FRAME_S, passedS) * this.speed;
		this.write();
		void this.ask();
		if (nowMs - this.numbersAtMs >= NUMBERS_EVERY_MS) {
			this.numbersAtMs = nowMs;
			this.numbers.value = this.numbersNow();
		}
		if (this.nowS > Math.min(this.endS(), MAX_ROUND_TRIPS * this.rttS)) {
			this.isHeld.value = false;
			void this.judge();
		}
	}

	/** When the last ACK is back: the run ends as the receiver reads the last byte. */
	private endS(): number {
		const completedS = this.part?.transfers[0]?.completedS ?? Number.NaN;
		const endS = completedS - this.firstS + this.rttS / 2;
		return Number.isNaN(endS) ? Number.POSITIVE_INFINITY : endS;
	}

	/** Writes at the ticks that have passed, while the key is held. */
	private write(): void {
		const end = Math.floor(this.nowS / tickS(this.course)) + 1;
		for (let tick = this.nextTick; tick < end; tick += 1) {
			const writes = this.isHeld.peek() || this.owesOne;
			if (writes && this.ticks.length < this.course.segments) {
				this.owesOne = false;
				this.ticks.push(tick);
			}
		}
		this.nextTick = Math.max(this.nextTick, end);
	}

	/** Simulates the game so far, and a little ahead. */
	private async ask(): Promise<void> {
		const isNew = this.ticks.length > this.knownTicks;
		const isLate = this.knownS - this.nowS < (AHEAD_RTTS / 2) * this.rttS;
		if (this.isAsking || !(isNew || isLate)) {
			return;
		}
		this.isAsking = true;
		const untilS = this.nowS + AHEAD_RTTS * this.rttS;
		const ticks = this.ticks.slice();
		// The connection is there, and the request too, before the first segment: two round trips.
		const endS = untilS + 2 * this.rttS;
		try {
			const run = await simulate(partScenario(this.course, ticks, endS));
			this.take(run.cases[0], untilS, ticks.length);
		} catch (error) {
			this.fail(error);
		}
		this.isAsking = false;
	}

	private take(one: CaseRun | undefined, untilS: number, segments: number): void {
		const transfer = one?.transfers[0];
		if (!one || !transfer) {
			return;
		}
		const { packets } = one;
		const firstS = packets.sentS[packetsOf(one, PacketKind.Data)[0] ?? -1] ?? 0;
		const sizes = Math.round(transfer.segments.lengthBytes[0] ?? 1);
		const acks = packetsOf(one, PacketKind.Ack).filter((at) => (packets.startByte[at] ?? 0) > 0);
		acks.sort((a, b) => (packets.arrivedS[a] ?? 0) - (packets.arrivedS[b] ?? 0));
		let before = 0;
		const acked = acks.map((at) => {
			const bytes = Math.max(before, packets.startByte[at] ?? 0);
			const count = (bytes - before) / sizes;
			before = bytes;
			return count;
		});
		this.part = one;
		this.firstS = firstS;
		this.knownS = untilS;
		this.knownTicks = segments;
		this.seen = {
			acksS: Float64Array.from(acks, (at) => (packets.arrivedS[at] ?? Number.NaN) - firstS),
			acked: Float64Array.from(acked),
			retransmittedS: Float64Array.from(
				packetsOf(one, PacketKind.Retransmission),
				(at) => (packets.sentS[at] ?? 0) - firstS,
			),
		};
	}

	private numbersNow(): Numbers {
		const rtt = this.part?.transfers[0]?.rtt;
		const atS = this.firstS + this.nowS;
		const of = (value: Float64Array | undefined) =>
			rtt && value
				? valueAtTime({ timeS: rtt.timeS, value, untilS: Number.POSITIVE_INFINITY }, atS)
				: Number.NaN;
		const { acksS, acked, retransmittedS } = this.seen;
		const isOver = this.nowS > this.endS();
		let acknowledged = 0;
		for (let at = countUpTo(acksS, this.nowS) - 1; at >= 0; at -= 1) {
			acknowledged += acked[at] ?? 0;
		}
		return {
			written: this.ticks.length,
			acknowledged: isOver ? this.course.segments : Math.round(acknowledged),
			retransmitted: countUpTo(retransmittedS, this.nowS),
			rttS: of(rtt?.rttS),
			minRttS: of(rtt?.minRttS),
			timeS: this.nowS,
		};
	}

	/** Runs the whole game, with the rivals. */
	private async judge(): Promise<void> {
		this.stage.value = "judging";
		this.numbers.value = this.numbersNow();
		if (this.ticks.length < this.course.segments) {
			this.fail("The time is over, and there are segments that you have not sent.");
			return;
		}
		try {
			const run = await simulate(wholeScenario(this.course, this.ticks));
			if (!this.isClosed) {
				this.result.value = run;
				this.stage.value = "done";
			}
		} catch (error) {
			this.fail(error);
		}
	}

	private fail(error: unknown): void {
		if (!this.isClosed) {
			this.message.value = error instanceof Error ? error.message : String(error);
			this.stage.value = "failed";
		}
	}
}

/** Time and losses of a case. */
export function resultOf(one: CaseRun | undefined): Result {
	return {
		timeS: completionS(one),
		retransmitted: Number(one?.transfers[0]?.fields.retransmitted_segments ?? Number.NaN),
	};
}
