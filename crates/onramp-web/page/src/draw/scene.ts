/**
 * The landscape of a path, by what the path does: a satellite where the delay is that of an orbit,
 * a sea where it is that of an ocean, a mast where a radio link hands out its slots. It is behind
 * the packets and says nothing that the labels do not say.
 */

import type { CaseRun } from "../engine/types";
import type { Frame } from "./frame";
import type { Palette } from "./palette";

export type Scene = "orbit" | "sea" | "radio" | "wire";

/** One way over a satellite: up and down 36,000 km at the speed of light. */
const ORBIT_S = 0.2;
/** One way through 6,000 km of fibre. */
const OCEAN_S = 0.03;

export function sceneOf(one: CaseRun): Scene {
	const link = one.links[one.bottleneck];
	const { delayS = 0, elements = "" } = link ?? {};
	if (delayS >= ORBIT_S || elements.includes("outage")) {
		return "orbit";
	}
	if (elements.includes("aggregate")) {
		return "radio";
	}
	return delayS >= OCEAN_S && !elements.includes("policer") ? "sea" : "wire";
}

/** How far the middle of the link lies above its ends, as a part of a lane's largest bend. */
const BENDS: Record<Scene, number> = { orbit: 1, sea: -0.5, radio: 0, wire: 0 };

/** The height of the link above its ends at this place, where `most` is that of an orbit. */
export function liftAt(scene: Scene, { linkX, afterX }: Frame, x: number, most: number): number {
	const share = Math.min(1, Math.max(0, (x - linkX) / (afterX - linkX)));
	return most * BENDS[scene] * Math.sin(Math.PI * share) ** 2;
}

interface Ground {
	/** The middle of the forward and the return path at their ends. */
	forwardY: number;
	returnY: number;
	pipeHeight: number;
	returnHeight: number;
	height: number;
	/** The largest bend. */
	lift: number;
	nowS: number;
}

export function drawScene(
	context: CanvasRenderingContext2D,
	scene: Scene,
	frame: Frame,
	ground: Ground,
	palette: Palette,
): void {
	context.save();
	switch (scene) {
		case "orbit":
			drawOrbit(context, frame, ground, palette);
			break;
		case "sea":
			drawSea(context, frame, ground, palette);
			break;
		case "radio":
			drawMast(context, frame, ground, palette);
			break;
		case "wire":
			break;
	}
	context.restore();
}

/** A lane of this bend is thin, and has smaller things in it. */
function isSmall(lift: number): boolean {
	return lift <= 24;
}

/** What is drawn next stands here, in this size. */
function place(context: CanvasRenderingContext2D, x: number, y: number, scale: number): void {
	context.translate(x, y);
	context.scale(scale, scale);
}

/** Stars, and a satellite over the middle of the link. */
function drawOrbit(
	context: CanvasRenderingContext2D,
	frame: Frame,
	{ forwardY, pipeHeight, height, lift }: Ground,
	palette: Palette,
): void {
	const middle = (frame.linkX + frame.afterX) / 2;
	const radius = Math.min(middle - frame.senderX, frame.receiverX - middle);
	context.save();
	context.translate(middle, height / 2);
	context.scale(1, height / 2 / radius);
	const sky = context.createRadialGradient(0, 0, 0, 0, 0, radius);
	sky.addColorStop(0.3, palette.sky);
	sky.addColorStop(1, palette.page);
	context.fillStyle = sky;
	context.beginPath();
	context.arc(0, 0, radius, 0, 2 * Math.PI);
	context.fill();
	context.restore();
	context.fillStyle = palette.star;
	for (let star = 0; star < 60; star += 1) {
		// Multiples of an irrational number are spread evenly, and always at the same places.
		const [x, y] = [((star * 0.618034) % 1) - 0.5, ((star * 0.754878) % 1) - 0.5];
		if (Math.hypot(x, y) < 0.44) {
			const size = star % 7 === 0 ? 2 : 1;
			context.fillRect(middle + 2 * radius * x, height / 2 + height * y, size, size);
		}
	}
	const y = forwardY - lift - pipeHeight / 2 - (isSmall(lift) ? 8 : 13);
	place(context, middle, y, isSmall(lift) ? 0.65 : 1);
	drawSatellite(context, palette);
}

function drawSatellite(context: CanvasRenderingContext2D, palette: Palette): void {
	context.fillStyle = palette.page;
	context.strokeStyle = palette.faint;
	context.lineWidth = 1.25;
	for (const side of [-1, 1]) {
		context.fillRect(side * 17 - 10, -5, 20, 10);
		context.strokeRect(side * 17 - 10, -5, 20, 10);
		for (const line of [-3.3, 3.3]) {
			context.beginPath();
			context.moveTo(side * 17 + line, -5);
			context.lineTo(side * 17 + line, 5);
			context.stroke();
		}
	}
	context.fillStyle = palette.faint;
	context.fillRect(-6, -7, 12, 13);
	context.beginPath();
	context.arc(0, 7, 4.5, 0, Math.PI);
	context.fill();
}

/** Waves above a cable that lies on the ground of the sea. */
function drawSea(
	context: CanvasRenderingContext2D,
	frame: Frame,
	{ forwardY, returnY, pipeHeight, returnHeight, lift, nowS }: Ground,
	palette: Palette,
): void {
	const { linkX, afterX } = frame;
	const surface = forwardY - pipeHeight / 2 - 1;
	const ground = returnY + returnHeight / 2 + 5;
	const water = context.createLinearGradient(linkX, 0, afterX, 0);
	water.addColorStop(0, palette.page);
	water.addColorStop(0.25, palette.sea);
	water.addColorStop(0.75, palette.sea);
	water.addColorStop(1, palette.page);
	context.fillStyle = water;
	context.beginPath();
	for (let x = linkX; x <= afterX; x += 4) {
		context.lineTo(x, surface + 2 * Math.sin(x / 17 + 6 * nowS));
	}
	for (let x = afterX; x >= linkX; x -= 4) {
		context.lineTo(x, ground - liftAt("sea", frame, x, lift));
	}
	context.fill();
	place(context, linkX + 0.56 * (afterX - linkX), surface, isSmall(lift) ? 0.7 : 1);
	drawShip(context, palette);
}

function drawShip(context: CanvasRenderingContext2D, palette: Palette): void {
	context.fillStyle = palette.faint;
	context.beginPath();
	context.moveTo(-22, -6);
	context.lineTo(22, -6);
	context.lineTo(16, 2);
	context.lineTo(-18, 2);
	context.fill();
	context.fillRect(-16, -15, 7, 9);
	for (const [at, height] of [
		[-6, 5],
		[1, 8],
		[8, 5],
	] as const) {
		context.fillRect(at, -7 - height, 6, height);
	}
}

/** A mast where the link begins, with its waves. */
function drawMast(
	context: CanvasRenderingContext2D,
	frame: Frame,
	{ forwardY, pipeHeight, lift }: Ground,
	palette: Palette,
): void {
	const scale = isSmall(lift) ? 0.7 : 1;
	place(context, frame.linkX + 26 * scale, forwardY - pipeHeight / 2, scale);
	context.strokeStyle = palette.faint;
	context.fillStyle = palette.faint;
	context.lineWidth = 1.5;
	context.beginPath();
	context.moveTo(-8, 0);
	context.lineTo(0, -26);
	context.lineTo(8, 0);
	context.moveTo(-5.5, -8);
	context.lineTo(3, -16);
	context.moveTo(5.5, -8);
	context.lineTo(-3, -16);
	context.stroke();
	context.beginPath();
	context.arc(0, -27, 2.5, 0, 2 * Math.PI);
	context.fill();
	for (const radius of [9, 16, 23]) {
		context.globalAlpha = 1.1 - radius / 28;
		context.beginPath();
		context.arc(0, -27, radius, -0.6, 0.6);
		context.stroke();
	}
}
