import assert from "node:assert/strict";
import { test } from "node:test";
import { played } from "../engine/direct";
import { PRESETS } from "../presets";
import { evidenceAt, wordsOf } from "./probing";

function transferOf(id: string, series: number) {
	const run = played(PRESETS.find((one) => one.id === id)?.toml ?? "");
	const transfer = run.cases[series]?.transfers[0];
	assert.ok(transfer);
	return transfer;
}

const phases = (id: string, series: number) => {
	const transfer = transferOf(id, series);
	return transfer.phases.map((phase) => wordsOf(transfer, phase).split(":")[0]);
};

test("a start-up that paces without a rate is probing", () => {
	assert.deepEqual(phases("wifi", 1), ["Probing", "Probing", "Pacing", "Hold", "Approach"]);
	assert.deepEqual(phases("wifi", 0), ["Slow start"]);
	const [first, ...others] = phases("geostationary", 1);
	assert.deepEqual([first, others], ["Probing", ["Pacing", "Approach"]]);
	assert.equal(phases("data-centre", 1)[0], "Slow start", "it paces nothing there");
});

test("its evidence is the range from what was delivered to what it tries", () => {
	const wifi = transferOf("wifi", 1);
	assert.equal(evidenceAt(wifi, 0.05), undefined, "no ACK has come");
	const { deliveredBytesPerS = 0, triedBytesPerS = 0 } = evidenceAt(wifi, 0.15) ?? {};
	const { sender } = wifi;
	const before = [...sender.timeS.keys()].filter((at) => (sender.timeS[at] ?? 1) <= 0.15);
	assert.equal(
		deliveredBytesPerS,
		Math.max(...before.map((at) => sender.deliveryBytesPerS[at] ?? 0)),
	);
	assert.ok(deliveredBytesPerS < triedBytesPerS, `${deliveredBytesPerS} ${triedBytesPerS}`);
	assert.equal(evidenceAt(transferOf("geostationary", 1), 2), undefined, "it has an estimate");
});
