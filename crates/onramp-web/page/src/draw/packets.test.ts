import assert from "node:assert/strict";
import { test } from "node:test";
import { type CaseRun, PacketKind, type Packets } from "../engine/types";
import { countUpTo, Flights, placeOf } from "./packets";

const LINK = { rateBytesPerS: 1000, rateVaries: false, delayS: 2 };

/** Packets of 500 bytes: sent, entered, served, departed, arrived, dropped. */
function packets(rows: number[][], kind: number = PacketKind.Data): Packets {
	const column = (index: number) => Float64Array.from(rows, (row) => row[index] ?? Number.NaN);
	return {
		sentS: column(0),
		enteredS: column(1),
		servedS: column(2),
		departedS: column(3),
		arrivedS: column(4),
		droppedS: column(5),
		kind: Uint8Array.from(rows, () => kind),
		bytes: Uint32Array.from(rows, () => 500),
	} as Packets;
}

function caseOf(of: Packets): CaseRun {
	return {
		links: [LINK],
		bottleneck: 0,
		returnLinks: [LINK],
		returnBottleneck: 0,
		packets: of,
	} as unknown as CaseRun;
}

const N = Number.NaN;

test("a packet is on its way from its sending to its arrival or its drop", () => {
	const flights = new Flights(
		packets([
			[0, 0, 0, 2.5, 2.5, N],
			[1, N, N, N, N, 1.5],
			[2, 2, 2, 4.5, 4.5, N],
			[3, 3, 3, N, N, N],
		]),
	);
	assert.deepEqual([...flights.at(-1)], []);
	assert.deepEqual([...flights.at(1)], [0, 1]);
	assert.deepEqual([...flights.at(2)], [0, 2]);
	assert.deepEqual([...flights.at(9)], [3], "the run ended before it arrived");
	assert.deepEqual([...flights.dropsS], [1.5]);
});

test("a packet waits, is sent bit by bit, crosses the link, and is held at its end", () => {
	const one = caseOf(packets([[0, 1, 2, 6, 8, N]]));
	assert.deepEqual(placeOf(one, 0, 0.5), { part: "before", share: 0.5 });
	assert.deepEqual(placeOf(one, 0, 1.5), { part: "queue" });
	assert.deepEqual(placeOf(one, 0, 2.25), { part: "link", head: 0.125, tail: 0 });
	assert.deepEqual(placeOf(one, 0, 3.5), { part: "link", head: 0.75, tail: 0.5 });
	assert.deepEqual(placeOf(one, 0, 5), { part: "link", head: 1, tail: 1 });
	assert.deepEqual(placeOf(one, 0, 7), { part: "after", share: 0.5 });
});

test("numbers up to a limit are counted", () => {
	assert.equal(countUpTo([1, 2, 2, 3], 2), 3);
	assert.equal(countUpTo([], 2), 0);
});
