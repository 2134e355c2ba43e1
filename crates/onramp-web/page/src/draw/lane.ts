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
import { drawScene, liftAt, type Scene, sceneOf } from "./scene";

/** The vertical places of a lane, in pixels. */
interface Rows {
	height: number;
	hostTop: number;
	hostBottom: number;
	/** The middle of the forward and the return path at their ends. */
	forwardY: number;
	returnY: number;
	pipeHeight: number;
	tankHeight: number;
	returnHeight: number;
	/** The height of packets, as a part of that of a wide lane. */
	packets: number;
	/** The line of text between the paths. */
	labelY: number;
	/** How far a link over a satellite lies above its ends. */
	lift: number;
}

const WIDE: Rows = {
	height: 136,
	hostTop: 4,
	hostBottom: 132,
	forwardY: 40,
	returnY: 108,
	pipeHeight: 42,
	tankHeight: 60,
	returnHeight: 26,
	packets: 1,
	labelY: 83,
	lift: 44,
};
/** On a phone, two lanes are in view with the clock. */
const THIN: Rows = {
	height: 94,
	hostTop: 3,
	hostBottom: 91,
	forwardY: 25,
	returnY: 75,
	pipeHeight: 26,
	tankHeight: 38,
	returnHeight: 18,
	packets: 0.62,
	labelY: 58,
	lift: 18,
};
/** A narrower picture has thin lanes. */
const THIN_PX = 480;
/** Room above and below the path for what stands there, as a part of the largest bend. */
const ROOM: Record<Scene, readonly [above: number, below: number]> = {
	orbit: [1.2, 0],
	sea: [0.25, 0.45],
	radio: [0.6, 0],
	wire: [0, 0],
};

function rowsOf(scene: Scene, width: number): Rows {
	const rows = isThin(width) ? THIN : WIDE;
	const [room = 0, below = 0] = ROOM[scene].map((share) => Math.round(share * rows.lift));
	return {
		...rows,
		height: rows.height + room + below,
		hostTop: rows.hostTop + room,
		hostBottom: rows.hostBottom + room,
		forwardY: rows.forwardY + room,
		returnY: rows.returnY + room,
		labelY: rows.labelY + room,
	};
}

/** Where the ACKs arrive in a lane of this width, in pixels from its left and its lower end. */
export function ackPlace(one: CaseRun, width: number): { left: number; bottom: number } {
	const { height, hostBottom } = rowsOf(sceneOf(one), width);
	return { left: hostWidth(width), bottom: height - hostBottom };
}

/** A lane of this width is a phone's. */
export function isThin(width: number): boolean {
	return width < THIN_PX;
}

/** Height of a lane of this width, in pixels. */
export function laneHeight(one: CaseRun, width: number): number {
	return rowsOf(sceneOf(one), width).height;
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
/** A bend is not seen in a shorter part. */
const STRAIGHT_PX = 6;

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
	private readonly scene: Scene;
	private readonly maxQueueBytes: number;

	constructor(one: CaseRun) {
		this.one = one;
		this.flights = new Flights(one.packets);
		this.scene = sceneOf(one);
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
		context.clearRect(0, 0, width, rowsOf(this.scene, width).height);
		this.drawPath(context, frame, view);
		this.drawPackets(context, frame, view);
		this.drawDrops(context, frame, view);
	}

	private drawPath(context: CanvasRenderingContext2D, frame: Frame, view: LaneView): void {
		const { palette } = view;
		const { one } = this;
		const rows = rowsOf(this.scene, frame.width);
		drawScene(context, this.scene, frame, { ...rows, nowS: view.timeS / one.rttS }, palette);
		context.lineWidth = 1;
		context.strokeStyle = palette.edge;
		context.fillStyle =
			this.scene === "orbit" || this.scene === "sea" ? palette.page : palette.head;
		this.drawPipe(context, frame, rows.forwardY, rows.pipeHeight);
		this.drawPipe(context, frame, rows.returnY, rows.returnHeight);
		context.fillStyle = palette.page;
		context.strokeStyle = palette.faint;
		const tankTop = rows.forwardY - rows.tankHeight / 2;
		const tank = frame.linkX - frame.queueX;
		context.fillRect(frame.queueX, tankTop, tank, rows.tankHeight);
		context.strokeRect(frame.queueX + 0.5, tankTop + 0.5, tank - 1, rows.tankHeight - 1);
		for (const [x, to] of [
			[0, frame.senderX],
			[frame.receiverX, frame.width],
		] as const) {
			context.beginPath();
			const height = rows.hostBottom - rows.hostTop - 1;
			context.roundRect(x + 0.5, rows.hostTop + 0.5, to - x - 1, height, 8);
			context.fill();
			context.stroke();
		}
		this.drawReceived(context, frame, view);
		context.font = palette.font(12);
		context.textAlign = "center";
		context.fillStyle = palette.ink;
		const middle = (rows.hostTop + rows.hostBottom) / 2 + 4;
		context.fillText("sender", frame.senderX / 2, middle, frame.senderX - 6);
		const receiver = (frame.receiverX + frame.width) / 2;
		context.fillText("receiver", receiver, middle - 10, frame.width - frame.receiverX - 6);
		const received = `${Math.floor(100 * this.receivedShare(view.timeS))} %`;
		context.font = palette.font(isThin(frame.width) ? 14 : 18, 600);
		context.fillText(received, receiver, middle + 11);
		context.font = palette.font(12);
		context.fillStyle = palette.faint;
		const link = one.links[one.bottleneck];
		const back = one.returnLinks[one.returnBottleneck];
		const label = (text: string, from: number, to: number) => {
			// In a narrow lane the text of the queue is wider than the queue.
			const half = context.measureText(text).width / 2;
			const x = Math.max((from + to) / 2, frame.senderX + 6 + half);
			context.fillText(text, x, rows.labelY - liftAt(this.scene, frame, x, rows.lift));
		};
		const waiting = this.queueBytesAt(view.timeS);
		label(waiting > 0 ? `queue ${byteCount(waiting)}` : "queue empty", frame.queueX, frame.linkX);
		const [there, here] = [linkLabel(link), linkLabel(back)];
		const texts = [there === here ? there : `${there}  ·  ACKs: ${here}`, there, rateLabel(link)];
		// As much as there is room for. Where the link bends, a long text would cross it.
		const straight = this.scene === "orbit" ? 0.4 : 1;
		const room = straight * (frame.receiverX - frame.linkX - 12);
		const fitting = texts.find((text) => context.measureText(text).width <= room);
		label(fitting ?? "", frame.linkX, frame.afterX);
	}

	/** A path from the sender to the receiver, which bends where its link does. */
	private drawPipe(
		context: CanvasRenderingContext2D,
		frame: Frame,
		y: number,
		height: number,
	): void {
		const { lift } = rowsOf(this.scene, frame.width);
		const { senderX, receiverX } = frame;
		const step = 6;
		const at = (x: number) => y - liftAt(this.scene, frame, x, lift);
		const upper: [number, number][] = [];
		for (let x = senderX; x < receiverX; x += step) {
			upper.push([x, at(x) - height / 2 + 0.5]);
		}
		upper.push([receiverX, at(receiverX) - height / 2 + 0.5]);
		const lower = upper.map(([x, top]): [number, number] => [x, top + height - 1]).reverse();
		context.beginPath();
		for (const [x, edge] of [...upper, ...lower]) {
			context.lineTo(x, edge);
		}
		context.closePath();
		context.fill();
		for (const edge of [upper, lower]) {
			context.beginPath();
			for (const [x, edgeY] of edge) {
				context.lineTo(x, edgeY);
			}
			// Through the air there is no wire.
			context.setLineDash(this.scene === "orbit" || this.scene === "radio" ? [2, 4] : []);
			context.stroke();
		}
		context.setLineDash([]);
	}

	/** The receiver fills up. */
	private drawReceived(context: CanvasRenderingContext2D, frame: Frame, view: LaneView): void {
		const { hostTop, hostBottom } = rowsOf(this.scene, frame.width);
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
		const rows = rowsOf(this.scene, frame.width);
		const tank = frame.linkX - frame.queueX;
		let waitingBytes = 0;
		let waitingAcks = 0;
		for (const at of this.flights.at(view.timeS)) {
			const place = placeOf(this.one, at, view.timeS);
			if (packets.kind[at] === PacketKind.Ack) {
				const x = returnX(frame, place, waitingAcks);
				waitingAcks += place.part === "queue" ? 1 : 0;
				this.mark(context, frame, view, at, x - 1, MIN_PACKET_PX, rows.returnY, rows.packets);
				continue;
			}
			if (place.part === "queue") {
				const from = frame.linkX - (tank * waitingBytes) / this.maxQueueBytes;
				waitingBytes += packets.bytes[at] ?? 0;
				const to = frame.linkX - (tank * waitingBytes) / this.maxQueueBytes;
				const end = Math.max(frame.queueX, to);
				this.mark(
					context,
					frame,
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
				frame,
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
		frame: Frame,
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
		const { lift } = rowsOf(this.scene, frame.width);
		context.fillStyle = isOther ? view.palette.others : view.colour;
		// Other transfers of the case are measured too, and are paler.
		context.globalAlpha = transfer > 0 ? 0.4 : 1;
		// A long packet follows the bend of the link.
		const count = Math.max(1, Math.round(length / STRAIGHT_PX));
		for (let part = 0; part < count; part += 1) {
			const from = x + (part * length) / count;
			const middle = y - liftAt(this.scene, frame, from + length / count / 2, lift);
			context.fillRect(from, middle - height / 2, length / count, height);
			if (kind === PacketKind.Retransmission && !isOther) {
				context.clearRect(from, middle - 6 * scale, length / count, 12 * scale);
			}
		}
		context.globalAlpha = 1;
	}

	private drawDrops(context: CanvasRenderingContext2D, frame: Frame, view: LaneView): void {
		const { packets, flows } = this.one;
		const { dropsS, dropped } = this.flights;
		const { forwardY, returnY } = rowsOf(this.scene, frame.width);
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

function linkLabel(link: CaseRun["links"][number] | undefined): string {
	if (!link) {
		return "";
	}
	const delay = `${duration(link.delayS)}${link.delayVaries ? " (varies)" : ""} one way`;
	return `${rateLabel(link)} · ${delay}`;
}

function rateLabel(link: CaseRun["links"][number] | undefined): string {
	return link ? `${bitRate(link.rateBytesPerS)}${link.rateVaries ? " (varies)" : ""}` : "";
}
