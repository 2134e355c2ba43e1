/**
 * The captions of every preset and lesson, with the figures of a run of each. What a caption says
 * is counted again from the run's record, in another way than `stops.ts` does.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { played } from "../engine/direct";
import { type CaseRun, PacketKind, type Run } from "../engine/types";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { bitRate, byteCount, duration } from "../units";
import { type Stop, stopsOf } from "./stops";

/** What play stops for: the start-up, and the caption. */
const CAPTIONS: Record<string, string[]> = {
	geostationary: [
		"none: 10 segments, then the link is empty for 598 ms: CUBIC waits for ACKs.",
		"onramp: 10 ACKs, 240 µs apart, so the estimate is 48.3 Mbit/s.",
		"onramp: 2.72 MB leave paced within a round trip: 75 % of the BDP. CUBIC may send 29 kB.",
	],
	"low-orbit": [
		"onramp: 10 ACKs, 64.4 µs apart, so the estimate is 180 Mbit/s.",
		"onramp: 685 kB leave paced within a round trip. CUBIC may send 29 kB.",
		"onramp: For a round trip the RTT stays at 43.8 ms or more, " +
			"at least 3.78 ms of it in the queue: full.",
	],
	transatlantic: [
		"none: 10 segments, then the link is empty for 88.9 ms: CUBIC waits for ACKs.",
		"onramp: 10 ACKs, 120 µs apart, so the estimate is 96.5 Mbit/s.",
		"onramp: 79.6 kB leave paced within a round trip: 7 % of the BDP. cwnd would allow 830 kB. " +
			"CUBIC may send 29 kB.",
	],
	lte: [
		"onramp: The first 10 ACKs arrive in one burst: held back on the way, " +
			"their gaps show no rate.",
		"onramp: No rate is known yet: onramp probes with a cwnd of 140 kB. CUBIC's cwnd is 29 kB.",
		"onramp: For a round trip the RTT stays at 60 ms or more, " +
			"8.94 ms above its minimum: the growth ends.",
	],
	wifi: [
		"none: 10 segments, then the link is empty for 39.5 ms: CUBIC waits for ACKs.",
		"onramp: The first 10 ACKs arrive in one burst: held back on the way, " +
			"their gaps show no rate.",
		"onramp: No rate is known yet: onramp probes with a cwnd of 217 kB. CUBIC's cwnd is 29 kB.",
	],
	cable: [
		"none: 10 segments, then the link is empty for 43.6 ms: CUBIC waits for ACKs.",
		"onramp: The first 10 ACKs arrive in 2 bursts: held back on the way, " +
			"their gaps show no rate.",
		"onramp: No rate is known yet: onramp probes with a cwnd of 236 kB. CUBIC's cwnd is 29 kB.",
	],
	policed: [
		"none: 10 segments, then the link is empty for 58.9 ms: CUBIC waits for ACKs.",
		"onramp: 10 ACKs, 120 µs apart, so the estimate is 96.5 Mbit/s: " +
			"the policer's 20 Mbit/s do not show yet.",
		"onramp: 557 kB leave paced within a round trip: " +
			"3.9 times the BDP at the policer's 20 Mbit/s. CUBIC may send 29 kB.",
	],
	"data-centre": ["none: 10 segments, then the link is empty for 39.2 µs: CUBIC waits for ACKs."],
};

for (const { id, toml } of PRESETS) {
	test(`${id}: play stops where the run has these figures`, () => {
		const run = played(toml);
		const shown = stopsOf(run).map(
			({ series, words }) => `${run.cases[series]?.startup}: ${words}`,
		);
		assert.deepEqual(shown, CAPTIONS[id]);
	});
}

for (const { id, toml } of [...PRESETS, ...LESSONS]) {
	test(`${id}: each caption is true by the record`, () => {
		const run = played(toml);
		for (const stop of stopsOf(run)) {
			const one = run.cases[stop.series];
			assert.ok(one, stop.words);
			TRUTH[stop.kind](stop, one, run);
		}
	});
}

const TRUTH: Record<Stop["kind"], (stop: Stop, one: CaseRun, run: Run) => void> = {
	train({ words, acksS }, one) {
		const estimate = transferOf(one).events.find((event) => event.estimateBytesPerS > 0);
		const rate = estimate?.estimateBytesPerS ?? Number.NaN;
		const gaps = acksS.slice(1).map((atS, at) => atS - (acksS[at] ?? 0));
		const gapS = gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0;
		const mss = Math.max(...one.packets.payloadBytes);
		assert.ok(Math.abs(mss / gapS / rate - 1) < 0.1, `${words} ${mss / gapS} is not ${rate}`);
		says(words, `${acksS.length} ACKs, ${duration(gapS)} apart`, bitRate(rate));
		const isWrong = Math.abs(rate / one.capacityBytesPerS - 1) > 0.1;
		const varies = one.links[one.bottleneck]?.rateVaries;
		assert.equal(/policer's|% of the path/.test(words), isWrong && !varies, words);
	},
	bursts({ words, acksS }, one) {
		const segmentS = 1448 / (one.links[one.bottleneck]?.rateBytesPerS ?? 0);
		const held = acksS.filter((atS, at) => atS - (acksS[at - 1] ?? -1) < segmentS / 2).length;
		assert.ok(held >= (acksS.length - 1) / 2, "the link sends no segments so close together");
		const bursts = acksS.length - held;
		says(words, `${acksS.length} ACKs`, bursts === 1 ? "one burst" : `${bursts} bursts`);
	},
	probe({ words, timeS }, one, run) {
		says(words, `a cwnd of ${cwndAt(one, timeS)}. CUBIC's cwnd is ${plainCwndAt(run, timeS)}.`);
		const known = transferOf(one).events.filter((event) => event.estimateBytesPerS > 0);
		assert.ok(known.every((event) => event.timeS > timeS));
	},
	empty({ words, timeS }, one) {
		const before = forward(one).filter((at) => (one.packets.servedS[at] ?? 0) < timeS);
		says(words, `${before.length} segments, then`, " waits for ACKs");
		const { packets, links, bottleneck } = one;
		const busy = forward(one).map((at) => {
			const beganS = packets.servedS[at] ?? 0;
			const tookS = (packets.bytes[at] ?? 0) / (links[bottleneck]?.rateBytesPerS ?? 1);
			return [beganS, beganS + tookS] as const;
		});
		assert.ok(busy.every(([from, to]) => timeS < from || timeS > to));
		const next = Math.min(...busy.map(([from]) => from).filter((from) => from > timeS));
		const last = Math.max(...busy.map(([, to]) => to).filter((to) => to < timeS));
		says(words, `empty for ${duration(next - last)}`);
	},
	paced({ words }, one, run) {
		const { phases, sender } = transferOf(one);
		const beginS = phases.find(({ name }) => name === "pacing")?.beginS ?? Number.NaN;
		const { packets } = one;
		const [, amount = ""] = /^(.* [kM]?B) leave/.exec(words) ?? [];
		const sent = [...packets.sentS.keys()].filter(
			(at) => packets.kind[at] === PacketKind.Data && (packets.sentS[at] ?? 0) >= beginS,
		);
		let bytes = 0;
		for (const at of sent) {
			bytes += packets.payloadBytes[at] ?? 0;
			if (byteCount(bytes) === amount) {
				const tookS = (packets.sentS[at] ?? 0) - beginS;
				assert.ok(tookS <= 1.05 * one.rttS, `${amount} took ${tookS} s`);
				break;
			}
		}
		assert.equal(byteCount(bytes), amount, words);
		const [, plainAmount] = /CUBIC may send (.*)\.$/.exec(words) ?? [];
		if (run.cases.some(({ startup }) => startup === "none")) {
			assert.equal(plainAmount, plainCwndAt(run, beginS + 0.25 * one.rttS), words);
		}
		const place = sender.timeS.findIndex((atS) => atS >= beginS);
		assert.ok((sender.pacingBytesPerS[place] ?? Number.NaN) > 0, "it is paced");
		const share = bytes / one.bdpBytes;
		const varies = one.links[one.bottleneck]?.rateVaries;
		if (share > 1.05) {
			says(words, `${share.toFixed(1)} times the BDP at the policer's`);
		} else if (!varies) {
			says(words, `${Math.round(100 * share)} % of the BDP`);
		}
	},
	full({ words, timeS }, one) {
		const { rtt } = transferOf(one);
		const inRound = [...rtt.timeS.keys()].filter((at) => {
			const atS = rtt.timeS[at] ?? 0;
			return atS <= timeS && atS > timeS - one.rttS;
		});
		const samples = inRound.map((at) => rtt.rttS[at] ?? 0);
		const [, stays = ""] = /stays at (.*) or more/.exec(words) ?? [];
		assert.equal(stays, duration(Math.min(...samples)));
		const [, queued] = /at least (.*) ms of it in the queue/.exec(words) ?? [];
		const { queue } = one;
		const rate = one.links[one.bottleneck]?.rateBytesPerS ?? 1;
		if (queued) {
			// A queue of this time at the link's rate, or at the lower one that it had.
			const most = Math.max(...queue.bytes.filter((_, at) => (queue.timeS[at] ?? 0) < timeS));
			assert.ok((2e3 * most) / rate > Number(queued), `${most} bytes are less than ${queued} ms`);
		}
	},
};

function cwndAt(of: CaseRun | undefined, timeS: number): string {
	const sender = of?.transfers[0]?.sender;
	const last = [...(sender?.timeS ?? [])].findLastIndex((atS) => atS <= timeS);
	return byteCount(sender?.cwndBytes[last] ?? Number.NaN);
}

function plainCwndAt({ cases }: Run, timeS: number): string {
	return cwndAt(
		cases.find(({ startup }) => startup === "none"),
		timeS,
	);
}

function transferOf(one: CaseRun) {
	const [transfer] = one.transfers;
	assert.ok(transfer);
	return transfer;
}

/** Packets with payload that left the drawn queue. */
function forward({ packets }: CaseRun): number[] {
	return [...packets.servedS.keys()].filter(
		(at) => packets.kind[at] === PacketKind.Data && (packets.servedS[at] ?? Number.NaN) >= 0,
	);
}

function says(words: string, ...parts: string[]): void {
	for (const part of parts) {
		assert.ok(words.includes(part), `"${words}" does not say "${part}"`);
	}
}
