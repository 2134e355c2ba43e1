import assert from "node:assert/strict";
import { test } from "node:test";
import { type CaseRun, PacketKind } from "../engine/types";
import { carriedRate } from "./carried";

/** Packets of 1000 bytes of payload: entered, served. */
function caseOf(rows: [number, number][], packetInterval = 1): CaseRun {
	return {
		packetInterval,
		packets: {
			enteredS: Float64Array.from(rows, ([entered]) => entered),
			servedS: Float64Array.from(rows, ([, served]) => served),
			kind: Uint8Array.from(rows, () => PacketKind.Data),
			payloadBytes: Uint32Array.from(rows, () => 1000),
		},
	} as unknown as CaseRun;
}

test("a link carries a packet until the transmission of the one that waits begins", () => {
	const { timeS, value } = carriedRate(
		caseOf([
			[0, 0],
			[0, 0.5],
			[0, 1.5],
		]),
	);
	assert.deepEqual([...timeS], [0, 0.5, 1.5]);
	assert.deepEqual([...value], [2000, 1000, Number.NaN]);
});

test("a link on which nothing waits has no value", () => {
	const { value } = carriedRate(
		caseOf([
			[0, 0],
			[0.1, 0.5],
		]),
	);
	assert.deepEqual([...value], [Number.NaN, Number.NaN]);
	assert.equal(carriedRate(caseOf([[0, 0]], 2)).value.length, 0, "packets were left out");
});
