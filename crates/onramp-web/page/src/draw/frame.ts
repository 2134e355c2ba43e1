/** Where the parts of a lane lie, and the packets on them, in pixels from the left. */

import type { CaseRun } from "../engine/types";
import type { Place } from "./packets";

/** A shorter packet could not be seen. */
export const MIN_PACKET_PX = 2;
/** Distance of ACKs that wait. */
const ACK_GAP_PX = 3;

/** The horizontal places of a lane. */
export interface Frame {
	senderX: number;
	queueX: number;
	linkX: number;
	afterX: number;
	receiverX: number;
	/** The return path's queue lies at the receiver. */
	returnQueueX: number;
	width: number;
}

/** Width of a host. */
export function hostWidth(width: number): number {
	return width < 480 ? 48 : 72;
}

export function frameOf(one: CaseRun, width: number): Frame {
	const host = hostWidth(width);
	const inner = width - 2 * host;
	const before = one.bottleneck > 0 ? 0.14 * inner : Math.min(16, 0.04 * inner);
	const after = one.bottleneck + 1 < one.links.length ? 0.14 * inner : 0;
	const tank = Math.min(180, 0.24 * inner);
	const receiverX = width - host;
	return {
		senderX: host,
		queueX: host + before,
		linkX: host + before + tank,
		afterX: receiverX - after,
		receiverX,
		returnQueueX: receiverX - 0.1 * inner,
		width,
	};
}

/** The last and the first bit of a packet. */
export function forwardX(frame: Frame, place: Place): [number, number] {
	const between = (from: number, to: number, share: number) => from + (to - from) * share;
	switch (place.part) {
		case "before": {
			const x = between(frame.senderX, frame.queueX, place.share);
			return [x - MIN_PACKET_PX, x];
		}
		case "link":
			return [
				between(frame.linkX, frame.afterX, place.tail),
				between(frame.linkX, frame.afterX, place.head),
			];
		case "after": {
			const x = between(frame.afterX, frame.receiverX, place.share);
			return [x - MIN_PACKET_PX, x];
		}
		case "queue":
			return [frame.queueX, frame.linkX];
	}
}

export function returnX(frame: Frame, place: Place, waiting: number): number {
	const between = (from: number, to: number, share: number) => from + (to - from) * share;
	switch (place.part) {
		case "before":
			return between(frame.receiverX, frame.returnQueueX, place.share);
		case "queue":
			return Math.min(frame.receiverX - 2, frame.returnQueueX + waiting * ACK_GAP_PX);
		case "link":
			return between(frame.returnQueueX, frame.senderX, place.head);
		case "after":
			return frame.senderX;
	}
}
