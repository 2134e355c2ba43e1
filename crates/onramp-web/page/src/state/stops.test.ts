import assert from "node:assert/strict";
import { test } from "node:test";
import { type CaseRun, PacketKind, type Run } from "../engine/types";
import { stopsOf } from "./stops";

const LINK = { rateBytesPerS: 1000, rateVaries: false, delayS: 0.5 };

/** A run of one case: data packets of 100 bytes that leave the queue then, and ACKs that arrive. */
function runOf(servedS: number[], acksS: number[], transfer: object): Run {
	const all = [...servedS, ...acksS];
	const isData = (at: number) => at < servedS.length;
	const one = {
		rttS: 1,
		bdpBytes: 1000,
		links: [LINK],
		bottleneck: 0,
		packetInterval: 1,
		flows: [{ transfer: 0 }],
		packets: {
			servedS: Float64Array.from(all, (atS, at) => (isData(at) ? atS : Number.NaN)),
			arrivedS: Float64Array.from(all, (atS, at) => (isData(at) ? atS + 1 : atS)),
			kind: Uint8Array.from(all, (_, at) => (isData(at) ? PacketKind.Data : PacketKind.Ack)),
			bytes: Uint32Array.from(all, () => 100),
			flow: Uint32Array.from(all, () => 0),
			startByte: Float64Array.from(all, (_, at) => 1 + at),
		},
		transfers: [
			{
				events: [],
				phases: [],
				sender: { timeS: [], cwndBytes: [], pacingBytesPerS: [] },
				rtt: { timeS: [], rttS: [], minRttS: [] },
				...transfer,
			},
		],
	};
	return { cases: [one as unknown as CaseRun] } as Run;
}

test("slow start leaves the link empty, and the first long time counts", () => {
	const run = runOf([0, 0.1, 1, 1.1, 3], [], { startup: "none" });
	const [stop] = stopsOf(run);
	assert.equal(stop?.kind, "empty");
	assert.ok(Math.abs((stop?.timeS ?? 0) - 0.6) < 1e-9, "the middle of 0.2 to 1 s");
	assert.match(stop?.words ?? "", /empty for 800\u00a0?\s?ms/);
	assert.deepEqual(stopsOf(runOf([0, 0.1, 0.3], [], { startup: "none" })), []);
	assert.deepEqual(stopsOf(runOf([0, 0.1, 1], [], { startup: "onramp" })), []);
});

test("four ACKs before the first estimate explain it", () => {
	const estimate = { kind: "estimate", timeS: 2.3, estimateBytesPerS: 1000 };
	const startup = { startup: "onramp", events: [estimate] };
	const [stop] = stopsOf(runOf([], [0.4, 2, 2.1, 2.2, 2.3, 2.4], startup));
	assert.deepEqual([stop?.kind, stop?.timeS], ["train", 2.3]);
	assert.deepEqual(stop?.acksS, [2, 2.1, 2.2, 2.3]);
	assert.match(stop?.words ?? "", /^4 ACKs, 100\s?ms apart/);
	assert.deepEqual(stopsOf(runOf([], [2.1, 2.2, 2.3], startup)), []);
});

test("the paced window and the delay that ends the growth have their figures", () => {
	const stops = stopsOf(
		runOf([], [], {
			startup: "onramp",
			phases: [{ name: "pacing", beginS: 1, endS: 2 }],
			sender: { timeS: [1], cwndBytes: [750], pacingBytesPerS: [700] },
			events: [{ kind: "exit", what: "delay", timeS: 3 }],
			rtt: { timeS: [1, 3], rttS: [1, 1.25], minRttS: [1, 1] },
		}),
	);
	assert.deepEqual(
		stops.map(({ kind }) => kind),
		["paced", "full"],
	);
	assert.match(stops[0]?.words ?? "", /75 % of the BDP/);
	assert.match(stops[1]?.words ?? "", /stays at 1\.25\s?s, 250\s?ms of it in the queue/);
});

test("two captions are some time apart", () => {
	const transfer = (startup: string) => ({
		startup,
		events: [{ kind: "exit", what: "delay", timeS: 3 }],
		rtt: { timeS: [3], rttS: [1.25], minRttS: [1] },
	});
	const run = runOf([], [], transfer("onramp"));
	const other = runOf([], [], transfer("suss"));
	const stops = stopsOf({ ...run, cases: [...run.cases, ...other.cases] });
	assert.deepEqual(
		stops.map(({ timeS, series }) => [timeS, series]),
		[
			[3, 0],
			[3.02, 1],
		],
	);
});
