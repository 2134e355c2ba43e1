import assert from "node:assert/strict";
import { test } from "node:test";
import { type CaseRun, PacketKind } from "../engine/types";
import { choicesFor, flightsOf, questionsOf } from "./predict";

/** A case that sends these flights, one each 0.1 s, with a retransmission and other traffic. */
function sending(flights: number[]): CaseRun {
	const packets = flights.flatMap((count, flight) =>
		Array.from({ length: count }, (_, at) => ({
			sentS: 1 + 0.1 * flight + 0.0005 * at,
			kind: PacketKind.Data as number,
			flow: 0,
		})),
	);
	packets.push({ sentS: 1.05, kind: PacketKind.Retransmission, flow: 0 });
	packets.push({ sentS: 1.06, kind: PacketKind.Data, flow: 1 });
	packets.sort((a, b) => a.sentS - b.sentS);
	return {
		rttS: 0.1,
		flows: [
			{ number: 0, transfer: 0, startS: 0 },
			{ number: 1, transfer: -1, startS: 0 },
		],
		packets: {
			sentS: Float64Array.from(packets, ({ sentS }) => sentS),
			kind: Uint8Array.from(packets, ({ kind }) => kind),
			flow: Uint32Array.from(packets, ({ flow }) => flow),
		},
	} as unknown as CaseRun;
}

test("a flight is what leaves between two pauses, without retransmissions and other flows", () => {
	const flights = flightsOf(sending([10, 20, 40]));
	assert.deepEqual(
		flights.map(({ segments }) => segments),
		[10, 20, 40],
	);
	assert.deepEqual(
		flights.map(({ beginS }) => beginS.toFixed(3)),
		["1.000", "1.100", "1.200"],
	);
});

test("a question comes before its flight, and has the right number among three", () => {
	const questions = questionsOf(sending([10, 20, 40, 80, 160]));
	assert.deepEqual(
		questions.map(({ choices }) => choices),
		[
			[5, 10, 20],
			[20, 40, 80],
			[10, 20, 40],
			[40, 80, 160],
		],
	);
	for (const { timeS, beginS } of questions) {
		assert.ok(timeS < beginS && timeS > beginS - 0.01);
	}
});

test("no choice is less than one segment", () => {
	assert.deepEqual(choicesFor(1, 2), [1, 1, 1]);
});
