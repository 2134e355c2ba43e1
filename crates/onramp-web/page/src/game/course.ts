/**
 * A path of the game, and the scenarios that the simulator runs for it. The player is the sending
 * application of a TCP connection whose window is no limit: a segment leaves when the player writes
 * it. So every number of the game is the simulator's, and the score is a scenario like any other.
 */

/** Payload of a full segment: 1500 bytes without the headers and the timestamps of TCP. */
const SEGMENT_BYTES = 1448;
const PACKET_BITS = 8 * 1500;
/** Segments that leave in a round trip while the key is held: faster than any path of the game. */
export const SEGMENTS_PER_RTT = 400;
/** A game ends after so many round trips. */
export const MAX_ROUND_TRIPS = 60;
/** Share of the segments that may be lost. */
const LOSS_ALLOWED = 0.02;
/** Seeds are short, so that links are. */
const SEEDS = 1_000_000;

const RTTS_MS = [60, 80, 100, 120, 160, 200, 300, 400];
/** Ranges of the random draws. */
const BDP_PACKETS = [50, 160] as const;
const QUEUE_BDPS = [0.25, 1] as const;
const SIZE_BDPS = [3, 4.5] as const;

export interface Course {
	seed: number;
	/** In steps of 100 kbit/s. */
	rateBitsPerS: number;
	rttMs: number;
	queuePackets: number;
	/** To be sent. */
	segments: number;
	/** More losses do not win. */
	allowedLosses: number;
}

export function randomSeed(): number {
	return Math.floor(SEEDS * Math.random());
}

/** The path of a seed: the same in every browser. */
export function courseOf(seed: number): Course {
	const random = generator(seed);
	const within = ([from, to]: readonly [number, number]) => from + (to - from) * random();
	const rttMs = RTTS_MS[Math.floor(RTTS_MS.length * random())] ?? 100;
	const bits = (within(BDP_PACKETS) * PACKET_BITS * 1000) / rttMs;
	const rateBitsPerS = 100_000 * Math.round(bits / 100_000);
	const bdpPackets = (rateBitsPerS * rttMs) / 1000 / PACKET_BITS;
	const segments = Math.round(within(SIZE_BDPS) * bdpPackets);
	return {
		seed,
		rateBitsPerS,
		rttMs,
		queuePackets: Math.round(within(QUEUE_BDPS) * bdpPackets),
		segments,
		allowedLosses: Math.round(LOSS_ALLOWED * segments),
	};
}

/** Mulberry32, of T. Ettinger: numbers from 0 to 1. */
function generator(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Simulated time between two ticks: a segment leaves at a tick. */
export function tickS(course: Course): number {
	return course.rttMs / 1000 / SEGMENTS_PER_RTT;
}

/** The game up to a time: the player alone. The player has written at these ticks, from 0 on. */
export function partScenario(course: Course, ticks: number[], endS: number): string {
	// Behind what was written comes nothing before the end.
	return [
		pathOf(course),
		`[run]\nduration = "${Math.ceil(1e6 * endS)} us"\n`,
		playerOf(course, ticks, ['"3600 s"']),
	].join("\n");
}

/** The whole game, beside CUBIC and `onramp`. */
export function wholeScenario(course: Course, ticks: number[]): string {
	return [pathOf(course), playerOf(course, ticks, []), rivalsOf(course)].join("\n");
}

function pathOf(course: Course): string {
	return `# "Beat onramp": the player is the application of the first transfer.
name = "game-${course.seed}"
description = "Beat onramp: a player who writes by hand, beside CUBIC and onramp"

[path]
rate = "${course.rateBitsPerS / 1000} kbit/s"
rtt = "${course.rttMs} ms"
queue = "${course.queuePackets} packets"

[receiver]
buffer = "64 MiB"
`;
}

function sizeOf(course: Course): string {
	return `size = "${course.segments * SEGMENT_BYTES} B"`;
}

function playerOf(course: Course, ticks: number[], last: string[]): string {
	const tickNs = Math.round(1e9 * tickS(course));
	const gaps = ticks.slice(1).map((tick, at) => `"${(tick - (ticks[at] ?? 0)) * tickNs} ns"`);
	const every = [...gaps, ...last];
	return `[[transfer]]
label = "you"
${sizeOf(course)}
startup = "none"
avoidance = "cubic"
initial_window = "1000 segments"
write = "${SEGMENT_BYTES} B"
write_every = [${every.join(", ")}]
`;
}

function rivalsOf(course: Course): string {
	return `[[transfer]]
${sizeOf(course)}
startup = ["none", "onramp"]
avoidance = "cubic"
`;
}

/** `SEED` or `SEED/WRITES`: a path, and how somebody played it. */
export function codeOf(course: Course, ticks: number[] = []): string {
	const runs: string[] = [];
	let next = 0;
	for (let at = 0; at < ticks.length; ) {
		const from = ticks[at] ?? 0;
		let length = 1;
		while (ticks[at + length] === from + length) {
			length += 1;
		}
		runs.push(`${(from - next).toString(36)}-${length.toString(36)}`);
		next = from + length;
		at += length;
	}
	return [String(course.seed), runs.join(".")].filter(Boolean).join("/");
}

/** Reads a code; `undefined`: it is none. Without writes, the path is still to be played. */
export function readCode(code: string): { course: Course; ticks: number[] } | undefined {
	const [, seed, runs] = /^(\d{1,6})(?:\/([0-9a-z.-]{1,4000}))?$/.exec(code) ?? [];
	if (seed === undefined) {
		return undefined;
	}
	const course = courseOf(Number(seed));
	const ticks: number[] = [];
	let next = 0;
	for (const run of runs?.split(".") ?? []) {
		const [, gap = "", length = ""] = /^([0-9a-z]{1,4})-([0-9a-z]{1,4})$/.exec(run) ?? [];
		const end = next + Number.parseInt(gap, 36) + Number.parseInt(length, 36);
		// NaN compares as false.
		if (!(end <= MAX_ROUND_TRIPS * SEGMENTS_PER_RTT)) {
			return undefined;
		}
		for (let tick = next + Number.parseInt(gap, 36); tick < end; tick += 1) {
			ticks.push(tick);
		}
		next = end;
	}
	const isWhole = ticks.length === course.segments && ticks[0] === 0;
	return runs === undefined || isWhole ? { course, ticks } : undefined;
}

/** How one sender did. */
export interface Result {
	timeS: number;
	retransmitted: number;
}

/** What the player has won, in a sentence. `who`: "You", or another name. */
export function verdict(
	course: Course,
	you: Result,
	cubic: Result,
	onramp: Result,
	who = "You",
): string {
	if (Number.isNaN(you.timeS)) {
		return `${who} did not finish.`;
	}
	const rivals = [
		{ name: "onramp", timeS: onramp.timeS },
		{ name: "CUBIC", timeS: cubic.timeS },
	];
	const beaten = rivals.filter(({ timeS }) => you.timeS < timeS).map(({ name }) => name);
	const others = rivals.map(({ name }) => name).filter((name) => !beaten.includes(name));
	if (beaten.length === 0) {
		return `${who} did not beat ${others.join(" or ")}.`;
	}
	if (you.retransmitted > course.allowedLosses) {
		const names = beaten.join(" and ");
		return `Faster than ${names}, but with more than ${course.allowedLosses} losses.`;
	}
	const but = others.length > 0 ? `, but not ${others.join("")}` : "";
	return `${who} beat ${beaten.join(" and ")}${but}.`;
}
