/** The rate at which the bottleneck carried what waited: what a link whose rate changes had. */

import { type CaseRun, PacketKind } from "../engine/types";

/**
 * Payload per second, one value for each packet behind which another one already waited: the next
 * transmission begins when the link has carried it. Where nothing waited the link was not busy, and
 * there is no value.
 */
export function carriedRate({ packets, packetInterval }: CaseRun): {
	timeS: Float64Array;
	value: Float64Array;
} {
	if (packetInterval > 1) {
		// The next packet is not known.
		return { timeS: new Float64Array(), value: new Float64Array() };
	}
	const { servedS, enteredS, payloadBytes } = packets;
	const served = [...servedS.keys()].filter(
		(at) => packets.kind[at] !== PacketKind.Ack && (servedS[at] ?? Number.NaN) >= 0,
	);
	served.sort((a, b) => (servedS[a] ?? 0) - (servedS[b] ?? 0));
	const value = served.map((at, place) => {
		const next = served[place + 1] ?? -1;
		const beganS = servedS[at] ?? 0;
		const tookS = (servedS[next] ?? Number.NaN) - beganS;
		const isBusy = (enteredS[next] ?? Number.POSITIVE_INFINITY) <= beganS && tookS > 0;
		const payload = payloadBytes[at] ?? 0;
		return isBusy && payload > 0 ? payload / tookS : Number.NaN;
	});
	return {
		timeS: Float64Array.from(served, (at) => servedS[at] ?? 0),
		value: Float64Array.from(value),
	};
}
