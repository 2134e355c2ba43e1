/**
 * One start-up's path: the sender, the queue of the bottleneck, its link, the receiver, and below
 * them the return path. A packet is as long on the link as its transmission lasts, so a full path
 * is a full line.
 */

import { type CaseRun, PacketKind } from "../engine/types";
import { bitRate, byteCount, duration } from "../units";
import { type Frame, forwardX, frameOf, hostWidth, MIN_PACKET_PX, returnX } from "./frame";
import { countUpTo, Flights, placeOf } from "./packets";
import type { Palette } from "./palette";

/** The vertical places of a lane, in pixels. */
interface Rows {
	height: number;
	hostTop: number;
	hostBottom: number;
	/** The middle of the forward and the return path. */
	forwardY: number;
	returnY: number;
	pipeHeight: number;
	tankHeight: number;
	returnHeight: number;
	/** The height of packets, as a part of that of a wide lane. */
	packets: number;
	/** The lines of text: of the link, the queue, and the return path. */
	linkY: number;
	queueY: number;
	backY: number;
}

const WIDE: Rows = {
	height: 170,
	hostTop: 20,
	hostBottom: 148,
	forwardY: 54,
	returnY: 124,
	pipeHeight: 42,
	tankHeight: 64,
	returnHeight: 26,
	packets: 1,
	linkY: 14,
	queueY: 101,
	backY: 164,
};
/** On a phone, two lanes are in view with the clock. */
const THIN: Rows = {
	height: 112,
	hostTop: 16,
	hostBottom: 96,
	forwardY: 36,
	returnY: 80,
	pipeHeight: 26,
	tankHeight: 38,
	returnHeight: 18,
	packets: 0.62,
	linkY: 11,
	queueY: 67,
	backY: 109,
};
/** A narrower picture has thin lanes. */
const THIN_PX = 480;

function rowsOf(width: number): Rows {
	return width < THIN_PX ? THIN : WIDE;
}

/** Where the ACKs arrive in a lane of this width, in pixels. */
export function laneRows(width: number): { senderX: number; returnY: number } {
	return { senderX: hostWidth(width), returnY: rowsOf(width).returnY };
}

/** Height of a lane of this width, in pixels. */
export function laneHeight(width: number): number {
	return rowsOf(width).height;
}

/** Heights of packets: kinds have different ones, for readers who see no colours. */
const HEIGHTS: Record<number, number> = {
	[PacketKind.Data]: 26,
	[PacketKind.Retransmission]: 38,
	[PacketKind.Ack]: 16,
	[PacketKind.Datagram]: 14,
	[PacketKind.Control]: 8,
};
const OTHERS_HEIGHT = 14;

export interface LaneView {
	timeS: number;
	/** How long a drop is seen, in simulated seconds. */
	dropSeenS: number;
	/** Dropped packets fall, unless the user wants no motion. */
	dropsFall: boolean;
	palette: Palette;
	colour: string;
}

/** Draws one case at any time. */
export class Lane {
	private readonly one: CaseRun;
	private readonly flights: Flights;
	private readonly maxQueueBytes: number;

	constructor(one: CaseRun) {
		this.one = one;
		this.flights = new Flights(one.packets);
		const limit = one.links[one.bottleneck]?.queueBytes ?? Number.NaN;
		const max = one.queue.bytes.reduce((a, b) => Math.max(a, b), 3000);
		// A queue that is far larger than what ever waits in it would look empty.
		this.maxQueueBytes = limit > 0 ? Math.min(Math.max(limit, 3000), 4 * max) : max;
	}

	/** Packets dropped so far. */
	dropsUntil(timeS: number): number {
		return countUpTo(this.flights.dropsS, timeS);
	}

	draw(context: CanvasRenderingContext2D, width: number, view: LaneView): void {
		const frame = frameOf(this.one, width);
		context.clearRect(0, 0, width, rowsOf(width).height);
		this.drawPath(context, frame, view);
		this.drawPackets(context, frame, view);
		this.drawDrops(context, frame, view);
	}

	private drawPath(context: CanvasRenderingContext2D, frame: Frame, view: LaneView): void {
		const { palette } = view;
		const { one } = this;
		const rows = rowsOf(frame.width);
		context.lineWidth = 1;
		context.strokeStyle = palette.rule;
		context.fillStyle = palette.head;
		const pipe = (x: number, y: number, to: number, height: number) => {
			context.fillRect(x, y - height / 2, to - x, height);
			context.strokeRect(x + 0.5, y - height / 2 + 0.5, to - x - 1, height - 1);
		};
		pipe(frame.senderX, rows.forwardY, frame.receiverX, rows.pipeHeight);
		pipe(frame.senderX, rows.returnY, frame.receiverX, rows.returnHeight);
		context.fillStyle = palette.page;
		context.strokeStyle = palette.faint;
		pipe(frame.queueX, rows.forwardY, frame.linkX, rows.tankHeight);
		for (const [x, to] of [
			[0, frame.senderX],
			[frame.receiverX, frame.width],
		] as const) {
			context.beginPath();
			const height = rows.hostBottom - rows.hostTop - 1;
			context.roundRect(x + 0.5, rows.hostTop + 0.5, to - x - 1, height, 6);
			context.fill();
			context.stroke();
		}
		this.drawReceived(context, frame, view);
		context.font = "12px system-ui, sans-serif";
		context.textAlign = "center";
		context.fillStyle = palette.ink;
		const middle = (rows.hostTop + rows.hostBottom) / 2 + 4;
		context.fillText("sender", frame.senderX / 2, middle, frame.senderX - 6);
		const receiver = (frame.receiverX + frame.width) / 2;
		context.fillText("receiver", receiver, middle - 8, frame.width - frame.receiverX - 6);
		const received = `${Math.floor(100 * this.receivedShare(view.timeS))} %`;
		context.fillText(received, receiver, middle + 10);
		context.fillStyle = palette.faint;
		const link = one.links[one.bottleneck];
		const back = one.returnLinks[one.returnBottleneck];
		const label = (text: string, from: number, to: number, y: number) => {
			// In a narrow lane a text is wider than what it stands for, and must not cross the sender or
			// leave the picture.
			const half = context.measureText(text).width / 2;
			const most = Math.max((from + to) / 2, frame.senderX + 6 + half);
			context.fillText(text, Math.min(most, frame.width - half), y);
		};
		label(queueLabel(this.queueBytesAt(view.timeS)), frame.queueX, frame.linkX, rows.queueY);
		label(linkLabel(link), frame.linkX, frame.afterX, rows.linkY);
		const what = frame.width < THIN_PX ? "ACKs" : "ACKs, handshake";
		label(`${what}: ${linkLabel(back)}`, frame.senderX, frame.receiverX, rows.backY);
	}

	/** The receiver fills up. */
	private drawReceived(context: CanvasRenderingContext2D, frame: Frame, view: LaneView): void {
		const { hostTop, hostBottom } = rowsOf(frame.width);
		const height = (hostBottom - hostTop - 2) * this.receivedShare(view.timeS);
		context.globalAlpha = 0.22;
		context.fillStyle = view.colour;
		const width = frame.width - frame.receiverX - 2;
		context.fillRect(frame.receiverX + 1, hostBottom - 1 - height, width, height);
		context.globalAlpha = 1;
	}

	/** Share of the payload that has arrived; zero for a transfer without end. */
	private receivedShare(timeS: number): number {
		const transfer = this.one.transfers[0];
		if (!transfer) {
			return 0;
		}
		const { receiver, fields } = transfer;
		const bytes = receiver.receivedBytes[countUpTo(receiver.timeS, timeS) - 1] ?? 0;
		return Math.min(1, bytes / (Number(fields.size_bytes) || Number.POSITIVE_INFINITY));
	}

	private queueBytesAt(timeS: number): number {
		const { queue } = this.one;
		return queue.bytes[countUpTo(queue.timeS, timeS) - 1] ?? 0;
	}

	private drawPackets(context: CanvasRenderingContext2D, frame: Frame, view: LaneView): void {
		const { packets } = this.one;
		const rows = rowsOf(frame.width);
		const tank = frame.linkX - frame.queueX;
		let waitingBytes = 0;
		let waitingAcks = 0;
		for (const at of this.flights.at(view.timeS)) {
			const place = placeOf(this.one, at, view.timeS);
			if (packets.kind[at] === PacketKind.Ack) {
				const x = returnX(frame, place, waitingAcks);
				waitingAcks += place.part === "queue" ? 1 : 0;
				this.mark(context, view, at, x - 1, MIN_PACKET_PX, rows.returnY, rows.packets);
				continue;
			}
			if (place.part === "queue") {
				const from = frame.linkX - (tank * waitingBytes) / this.maxQueueBytes;
				waitingBytes += packets.bytes[at] ?? 0;
				const to = frame.linkX - (tank * waitingBytes) / this.maxQueueBytes;
				const end = Math.max(frame.queueX, to);
				this.mark(
					context,
					view,
					at,
					end,
					Math.max(0.75, from - end - 0.5),
					rows.forwardY,
					rows.packets,
				);
				continue;
			}
			const [from, to] = forwardX(frame, place);
			const length = Math.max(MIN_PACKET_PX, to - from - 0.5);
			this.mark(
				context,
				view,
				at,
				Math.max(frame.senderX, to - length),
				length,
				rows.forwardY,
				rows.packets,
			);
		}
	}

	/** One packet. */
	private mark(
		context: CanvasRenderingContext2D,
		view: LaneView,
		at: number,
		x: number,
		length: number,
		y: number,
		scale: number,
	): void {
		const { packets, flows } = this.one;
		const kind = packets.kind[at] ?? 0;
		const transfer = flows[packets.flow[at] ?? 0]?.transfer ?? -1;
		const isOther = transfer < 0;
		const height = scale * (isOther ? OTHERS_HEIGHT : (HEIGHTS[kind] ?? OTHERS_HEIGHT));
		context.fillStyle = isOther ? view.palette.others : view.colour;
		// Other transfers of the case are measured too, and are paler.
		context.globalAlpha = transfer > 0 ? 0.4 : 1;
		context.fillRect(x, y - height / 2, length, height);
		context.globalAlpha = 1;
		if (kind === PacketKind.Retransmission && !isOther) {
			context.fillStyle = view.palette.page;
			context.fillRect(x, y - 6 * scale, length, 12 * scale);
		}
	}

	private drawDrops(context: CanvasRenderingContext2D, frame: Frame, view: LaneView): void {
		const { packets, flows } = this.one;
		const { dropsS, dropped } = this.flights;
		const { forwardY, returnY } = rowsOf(frame.width);
		const last = countUpTo(dropsS, view.timeS);
		const first = countUpTo(dropsS, view.timeS - view.dropSeenS);
		context.lineWidth = 2;
		for (let index = Math.max(first, last - 200); index < last; index += 1) {
			const at = dropped[index] ?? 0;
			const age = (view.timeS - (dropsS[index] ?? 0)) / view.dropSeenS;
			const isBack = packets.kind[at] === PacketKind.Ack;
			const isOther = (flows[packets.flow[at] ?? 0]?.transfer ?? -1) < 0;
			const link = packets.dropLink[at] ?? 0;
			const x = isBack
				? frame.returnQueueX
				: link < this.one.bottleneck
					? (frame.senderX + frame.queueX) / 2
					: link > this.one.bottleneck
						? (frame.afterX + frame.receiverX) / 2
						: frame.queueX - 5;
			const y = (isBack ? returnY : forwardY) + (view.dropsFall ? 60 * age * age : 0);
			context.strokeStyle = isOther ? view.palette.others : view.colour;
			context.globalAlpha = 1 - age;
			context.beginPath();
			context.moveTo(x - 4, y - 4);
			context.lineTo(x + 4, y + 4);
			context.moveTo(x - 4, y + 4);
			context.lineTo(x + 4, y - 4);
			context.stroke();
		}
		context.globalAlpha = 1;
	}
}

function queueLabel(bytes: number): string {
	return `queue ${byteCount(bytes)}`;
}

function linkLabel(link: CaseRun["links"][number] | undefined): string {
	if (!link) {
		return "";
	}
	const rate = `${bitRate(link.rateBytesPerS)}${link.rateVaries ? " (varies)" : ""}`;
	const delay = `${duration(link.delayS)}${link.delayVaries ? " (varies)" : ""} one way`;
	return `${rate} · ${delay}`;
}
