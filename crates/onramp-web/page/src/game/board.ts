/**
 * What the sender sees: its segments leave, ACKs come back, and what lies between is hidden. Below,
 * both over time: the distance of the ACKs is the rate of the path.
 */

import { countUpTo } from "../draw/packets";
import type { Palette } from "../draw/palette";
import { SEGMENTS_PER_RTT, tickS } from "./course";
import type { Game } from "./play";

/** Part of the path that the sender sees at its end. */
const SEEN_SHARE = 0.3;
/** Time in which a segment or an ACK passes it, in round trips. */
const SEEN_RTTS = 0.12;
/** The chart shows so many round trips. */
const CHART_RTTS = 3;
const BINS_PER_RTT = 40;
/** Segments in a bin while the key is held. */
const FULL_BIN = SEGMENTS_PER_RTT / BINS_PER_RTT;

const HOST = 64;
const PATH = { top: 8, height: 34, gap: 14 };
/** The chart: what is sent upwards, ACKs downwards, on one scale. */
const CHART = { top: 112, middle: 198, bottom: 252, fullBin: 72, label: 14 };
export const BOARD_HEIGHT = CHART.bottom + 20;

export interface BoardView {
	palette: Palette;
	/** Colours of what is sent, of ACKs and of losses. */
	sent: string;
	acked: string;
	lost: string;
}

export function drawBoard(
	context: CanvasRenderingContext2D,
	width: number,
	game: Game,
	view: BoardView,
): void {
	context.clearRect(0, 0, width, BOARD_HEIGHT);
	context.font = view.palette.font(12);
	drawPath(context, width, game, view);
	drawChart(context, width, game, view);
}

function drawPath(
	context: CanvasRenderingContext2D,
	width: number,
	game: Game,
	view: BoardView,
): void {
	const { palette } = view;
	const inner = width - 2 * HOST;
	const fogX = HOST + SEEN_SHARE * inner;
	const backY = PATH.top + PATH.height + PATH.gap;
	context.lineWidth = 1;
	context.strokeStyle = palette.rule;
	context.fillStyle = palette.head;
	for (const y of [PATH.top, backY]) {
		context.fillRect(HOST, y, inner, PATH.height);
		context.strokeRect(HOST + 0.5, y + 0.5, inner - 1, PATH.height - 1);
	}
	const seenS = SEEN_RTTS * game.rttS;
	const spacing = tickS(game.course);
	const { ticks, seen, nowS } = game;
	context.fillStyle = view.sent;
	for (let at = ticks.length - 1; at >= 0; at -= 1) {
		const age = (nowS - (ticks[at] ?? 0) * spacing) / seenS;
		if (age > 1) {
			break;
		}
		context.fillRect(HOST + age * (fogX - HOST) - 1, PATH.top + 5, 1.5, PATH.height - 10);
	}
	drawTimes(seen.retransmittedS, nowS - seenS, nowS, (atS) => {
		const x = HOST + ((nowS - atS) / seenS) * (fogX - HOST);
		context.fillStyle = view.lost;
		context.fillRect(x - 1, PATH.top + 1, 2, PATH.height - 2);
	});
	context.fillStyle = view.acked;
	drawTimes(seen.acksS, nowS, nowS + seenS, (atS) => {
		const x = HOST + ((atS - nowS) / seenS) * (fogX - HOST);
		context.fillRect(x - 1, backY + 9, 2, PATH.height - 18);
	});
	drawFog(context, fogX, HOST + inner - fogX, view);
	context.fillStyle = palette.page;
	context.strokeStyle = palette.faint;
	const hosts: [number, string][] = [
		[0, "you"],
		[width - HOST, "receiver"],
	];
	for (const [x, name] of hosts) {
		const height = 2 * PATH.height + PATH.gap;
		context.beginPath();
		context.roundRect(x + 0.5, PATH.top - 3.5, HOST - 1, height + 7, 6);
		context.fillStyle = palette.page;
		context.fill();
		context.stroke();
		context.fillStyle = palette.ink;
		context.textAlign = "center";
		context.fillText(name, x + HOST / 2, PATH.top + height / 2 + 4, HOST - 8);
	}
}

/** What the sender does not see. */
function drawFog(
	context: CanvasRenderingContext2D,
	x: number,
	width: number,
	{ palette }: BoardView,
): void {
	const height = 2 * PATH.height + PATH.gap + 6;
	context.save();
	context.beginPath();
	context.rect(x, PATH.top - 3, width, height);
	context.fillStyle = palette.grid;
	context.fill();
	context.clip();
	context.strokeStyle = palette.rule;
	context.lineWidth = 1;
	for (let at = x - height; at < x + width; at += 9) {
		context.beginPath();
		context.moveTo(at, PATH.top - 3 + height);
		context.lineTo(at + height, PATH.top - 3);
		context.stroke();
	}
	context.restore();
	context.fillStyle = palette.ink;
	context.textAlign = "center";
	context.fillText("rate? queue?", x + width / 2, PATH.top + height / 2 + 1, width - 8);
}

function drawChart(
	context: CanvasRenderingContext2D,
	width: number,
	game: Game,
	view: BoardView,
): void {
	const { palette } = view;
	const { top, middle, bottom } = CHART;
	const spanS = CHART_RTTS * game.rttS;
	const fromS = Math.max(0, game.nowS - spanS);
	const place = (atS: number) => (width * (atS - fromS)) / spanS;
	context.strokeStyle = palette.grid;
	context.lineWidth = 1;
	context.textAlign = "left";
	context.fillStyle = palette.faint;
	for (let round = Math.ceil(fromS / game.rttS - 1e-9); round * game.rttS <= fromS + spanS; ) {
		const x = Math.round(place(round * game.rttS)) + 0.5;
		context.beginPath();
		context.moveTo(x, top);
		context.lineTo(x, bottom);
		context.stroke();
		context.fillText(`RTT ${round}`, x + 4, bottom + CHART.label);
		round += 1;
	}
	const { first, sent, acked } = binsOf(game, fromS);
	const binS = game.rttS / BINS_PER_RTT;
	const barWidth = width / (CHART_RTTS * BINS_PER_RTT);
	const bar = (bin: number, count: number, colour: string, isUp: boolean) => {
		const height = Math.min(
			isUp ? middle - top : bottom - middle,
			(CHART.fullBin * count) / FULL_BIN,
		);
		context.fillStyle = colour;
		const x = place((first + bin) * binS);
		context.fillRect(x, isUp ? middle - height : middle, Math.max(1, barWidth - 0.75), height);
	};
	for (let bin = 0; bin < sent.length; bin += 1) {
		bar(bin, sent[bin] ?? 0, view.sent, true);
		bar(bin, acked[bin] ?? 0, view.acked, false);
	}
	context.strokeStyle = palette.faint;
	context.beginPath();
	context.moveTo(0, middle + 0.5);
	context.lineTo(width, middle + 0.5);
	context.stroke();
	drawTimes(game.seen.retransmittedS, fromS, game.nowS, (atS) => {
		cross(context, place(atS), middle, view.lost);
	});
	context.fillStyle = palette.clock;
	context.fillRect(place(game.nowS), top, 1.5, bottom - top);
	context.fillStyle = palette.ink;
	context.fillText("sent", 4, top + 10);
	context.fillText("acknowledged", 4, bottom - 4);
}

/** Segments and ACKs in each part of the chart, from that of `fromS` on. */
function binsOf(game: Game, fromS: number) {
	const binS = game.rttS / BINS_PER_RTT;
	const first = Math.floor(fromS / binS);
	const bins = CHART_RTTS * BINS_PER_RTT + 1;
	const { ticks, seen, nowS } = game;
	const spacing = tickS(game.course);
	const sent = new Float64Array(bins);
	for (let at = ticks.length - 1; at >= 0; at -= 1) {
		const bin = Math.floor(((ticks[at] ?? 0) * spacing) / binS + 1e-9) - first;
		if (bin < 0) {
			break;
		}
		sent[bin] = (sent[bin] ?? 0) + 1;
	}
	const acked = new Float64Array(bins);
	const from = countUpTo(seen.acksS, first * binS);
	const to = countUpTo(seen.acksS, nowS);
	for (let at = from; at < to; at += 1) {
		const bin = Math.floor((seen.acksS[at] ?? 0) / binS) - first;
		acked[bin] = (acked[bin] ?? 0) + (seen.acked[at] ?? 0);
	}
	return { first, sent, acked };
}

function cross(context: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
	context.strokeStyle = colour;
	context.lineWidth = 2;
	context.beginPath();
	context.moveTo(x - 4, y - 4);
	context.lineTo(x + 4, y + 4);
	context.moveTo(x - 4, y + 4);
	context.lineTo(x + 4, y - 4);
	context.stroke();
}

function drawTimes(
	timesS: Float64Array,
	fromS: number,
	toS: number,
	draw: (atS: number) => void,
): void {
	const end = countUpTo(timesS, toS);
	for (let at = countUpTo(timesS, fromS); at < end; at += 1) {
		draw(timesS[at] ?? 0);
	}
}
