import assert from "node:assert/strict";
import { test } from "node:test";
import { type CaseRun, PacketKind, type Run } from "../engine/types";
import { stopsOf } from "./stops";

const LINK = { rateBytesPerS: 1000, rateVaries: false, delayS: 0.5 };

/** A run of one case: data packets of 100 bytes that leave the queue then, and ACKs that arrive. */
function runOf(servedS: number[], acksS: number[], transfer: object): Run {
	const all = [...servedS, ...acksS];
	const isData = (at: number) => at < servedS.length;
	const ofData = (atS: number, at: number) => (isData(at) ? atS : Number.NaN);
	const one = {
		rttS: 1,
		algorithms: "cubic",
		bdpBytes: 1000,
		capacityBytesPerS: 1000,
		links: [LINK],
		bottleneck: 0,
		packetInterval: 1,
		flows: [{ transfer: 0 }],
		packets: {
			sentS: Float64Array.from(all, ofData),
			enteredS: Float64Array.from(all, (atS, at) => ofData(atS, at) - 0.25),
			servedS: Float64Array.from(all, ofData),
			arrivedS: Float64Array.from(all, (atS, at) => (isData(at) ? atS + 1 : atS)),
			kind: Uint8Array.from(all, (_, at) => (isData(at) ? PacketKind.Data : PacketKind.Ack)),
			bytes: Uint32Array.from(all, () => 100),
			payloadBytes: Uint32Array.from(all, () => 100),
			flow: Uint32Array.from(all, () => 0),
			startByte: Float64Array.from(all, (_, at) => 100 * (1 + at)),
		},
		transfers: [
			{
				fields: { application: "", startup: "none", avoidance: "cubic" },
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
	assert.match(stop?.words ?? "", /^2 segments, then the link is empty for 800\u00a0?\s?ms/);
	assert.deepEqual(stopsOf(runOf([0, 0.1, 0.3], [], { startup: "none" })), []);
	assert.deepEqual(stopsOf(runOf([0, 0.1, 1], [], { startup: "onramp" })), []);
});

test("four ACKs before the first estimate explain it", () => {
	const estimate = { kind: "estimate", timeS: 2.3, estimateBytesPerS: 1000 };
	const startup = { startup: "onramp", events: [estimate] };
	const [stop] = stopsOf(runOf([], [0.4, 2, 2.1, 2.2, 2.3, 2.4], startup));
	assert.deepEqual([stop?.kind, stop?.timeS], ["train", 2.3]);
	assert.deepEqual(stop?.acksS, [2, 2.1, 2.2, 2.3]);
	assert.match(stop?.words ?? "", /^4 ACKs, 100 ms apart, so the estimate is 8 kbit\/s\.$/);
	assert.deepEqual(stopsOf(runOf([], [2.1, 2.2, 2.3], startup)), []);
});

test("aggregated ACKs explain no estimate", () => {
	const estimate = { kind: "estimate", timeS: 2.3, estimateBytesPerS: 1000 };
	const startup = { startup: "onramp", events: [estimate] };
	const [stop, ...others] = stopsOf(runOf([], [2, 2.01, 2.02, 2.03, 2.3], startup));
	assert.deepEqual([stop?.kind, stop?.timeS, others.length], ["bursts", 2.3, 0]);
	assert.match(stop?.words ?? "", /^The first 5 ACKs arrive in 2 bursts: held back/);
	const loose = [1.7, 2.0, 2.15, 2.3];
	assert.deepEqual(stopsOf(runOf([], loose, startup)), [], "neither a train nor bursts");
});

test("an application that writes little leaves the link empty, and nothing is wasted", () => {
	const transfer = { startup: "none", fields: { application: "1 kB every 1 s" } };
	assert.deepEqual(stopsOf(runOf([0, 0.1, 1], [], transfer)), []);
});

test("what leaves in the first round trip of the pacing counts, not cwnd", () => {
	const paced = (cwnd: number) => ({
		startup: "onramp",
		phases: [{ name: "pacing", beginS: 1, endS: 3 }],
		sender: { timeS: [1], cwndBytes: [cwnd], pacingBytesPerS: [700] },
		rtt: { timeS: [1], rttS: [1], minRttS: [1] },
	});
	const sentS = [0.5, 1, 1.2, 1.4, 1.6, 1.8, 2.5, 2.6];
	const [stop] = stopsOf(runOf(sentS, [], paced(750)));
	assert.equal(stop?.words, "500 B leave paced within a round trip: 50 % of the BDP.");
	const [less] = stopsOf(runOf(sentS, [], paced(2000)));
	assert.match(less?.words ?? "", /50 % of the BDP\. cwnd would allow 2 kB\.$/);
});

test("the RTT of a whole round trip ends the growth, not that of one ACK", () => {
	const ended = (rttS: number[]) => ({
		startup: "onramp",
		events: [{ kind: "exit", what: "delay", timeS: 3 }],
		rtt: { timeS: [1, 2.2, 2.4, 2.6, 2.8, 3], rttS, minRttS: [1, 1, 1, 1, 1, 1] },
	});
	const [stop] = stopsOf(runOf([1.2, 1.6], [], ended([1, 1.25, 1.3, 1.25, 1.3, 1.4])));
	assert.equal(stop?.kind, "full");
	assert.match(stop?.words ?? "", /stays at 1\.25 s or more, at least 250 ms of it in the queue/);
	const other = stopsOf(runOf([1.2, 1.6], [], ended([1, 1.9, 1.9, 1.9, 1.9, 1.9])));
	assert.match(other[0]?.words ?? "", /stays at 1\.9 s or more, 900 ms above its minimum/);
	assert.deepEqual(stopsOf(runOf([1.2], [], ended([1, 1, 1, 1, 1, 1.4]))), []);
});

test("two captions are some time apart", () => {
	const transfer = (startup: string) => ({
		startup,
		events: [{ kind: "exit", what: "delay", timeS: 3 }],
		rtt: { timeS: [2.2, 2.4, 2.6, 3], rttS: [2, 2, 2, 2], minRttS: [1, 1, 1, 1] },
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
