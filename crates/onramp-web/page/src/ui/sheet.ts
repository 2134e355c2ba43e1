/** A sheet that is filled from the top, in CSS pixels: texts, legends and images. */

import type { Palette } from "../draw/palette";
import { MARK_PATHS } from "./SeriesMark";

const MARGIN = 16;
const LINE_HEIGHT = 1.45;
const LEGEND_SIZE = 13;
/** The sheet is cut behind what was drawn. */
const MAX_HEIGHT = 6000;

interface TextStyle {
	size?: number;
	isBold?: boolean;
	isFaint?: boolean;
	/** Its mark stands before the text. */
	series?: number;
}

/** An entry of a legend: a sign and its words. */
interface Entry {
	width: number;
	draw(at: Sheet): void;
	words: string;
}

export class Sheet {
	/** Without the margins. */
	width: number;
	private readonly palette: Palette;
	private readonly whole: HTMLCanvasElement;
	private readonly context: CanvasRenderingContext2D;
	private readonly ratio = devicePixelRatio;
	private x = MARGIN;
	private y = MARGIN;

	constructor(width: number, palette: Palette) {
		this.width = width;
		this.palette = palette;
		this.whole = document.createElement("canvas");
		this.whole.width = Math.ceil((width + 2 * MARGIN) * this.ratio);
		this.whole.height = Math.ceil(MAX_HEIGHT * this.ratio);
		this.context = contextOf(this.whole);
		this.context.scale(this.ratio, this.ratio);
		this.context.fillStyle = palette.page;
		this.context.fillRect(0, 0, width + 2 * MARGIN, MAX_HEIGHT);
	}

	colour(series: number): string {
		return this.palette.series[series] ?? this.palette.ink;
	}

	gap(height: number): void {
		this.y += height;
	}

	/** A text in as many lines as it needs. */
	text(words: string, style: TextStyle = {}): void {
		const { size = 14, isBold, isFaint, series } = style;
		const indent = series === undefined ? 0 : 20;
		if (series !== undefined) {
			this.at(0, size, () => this.mark(series));
		}
		this.context.font = this.palette.font(size, isBold ? 600 : 400);
		this.context.fillStyle = isFaint ? this.palette.faint : this.palette.ink;
		let line = "";
		const write = () => {
			if (line) {
				this.context.fillText(line, this.x + indent, this.y + size);
				this.y += size * LINE_HEIGHT;
			}
		};
		for (const word of words.split(" ").filter(Boolean)) {
			const longer = line ? `${line} ${word}` : word;
			if (line && this.context.measureText(longer).width > this.width - indent) {
				write();
				line = word;
			} else {
				line = longer;
			}
		}
		write();
	}

	/** A legend. */
	row(entries: Entry[]): void {
		let x = 0;
		for (const { width, draw, words } of entries) {
			this.context.font = this.palette.font(LEGEND_SIZE);
			const room = width + (width > 0 ? 6 : 0) + this.context.measureText(words).width;
			if (x > 0 && x + room > this.width) {
				x = 0;
				this.y += LEGEND_SIZE * LINE_HEIGHT;
			}
			this.at(x, LEGEND_SIZE, () => draw(this));
			this.context.fillStyle = this.palette.faint;
			const textX = this.x + x + width + (width > 0 ? 6 : 0);
			this.context.fillText(words, textX, this.y + LEGEND_SIZE);
			x += room + 18;
		}
		this.y += LEGEND_SIZE * LINE_HEIGHT;
	}

	/** Signs of a legend: around the place of the pen. */
	bar(colour: string, width: number, height: number): void {
		this.context.fillStyle = colour;
		this.context.fillRect(0, -height / 2, width, height);
	}

	line(length: number, width: number, dash: number[]): void {
		this.context.strokeStyle = this.palette.ink;
		this.context.lineWidth = width;
		this.context.setLineDash(dash);
		this.context.beginPath();
		this.context.moveTo(0, 0);
		this.context.lineTo(length, 0);
		this.context.stroke();
		this.context.setLineDash([]);
	}

	mark(series: number): void {
		this.context.translate(0, -7);
		this.context.fillStyle = this.colour(series);
		this.context.fill(new Path2D(MARK_PATHS[series % MARK_PATHS.length]));
	}

	/** A filled box, with as much of its words as it has room for. */
	box(x: number, width: number, height: number, colour: string, words: string): void {
		const { context } = this;
		context.save();
		context.beginPath();
		context.rect(this.x + x, this.y, Math.max(1, width - 1), height);
		context.fillStyle = colour;
		context.fill();
		context.clip();
		context.font = this.palette.font(12);
		context.fillStyle = this.palette.phaseInk;
		context.fillText(words, this.x + x + 4, this.y + height - 6);
		context.restore();
	}

	image(canvas: HTMLCanvasElement, x: number, width: number, height: number): void {
		this.context.drawImage(canvas, this.x + x, this.y, width, height);
	}

	/** The line of the clock over an image. */
	clock(x: number, height: number): void {
		this.context.fillStyle = this.palette.clock;
		this.context.fillRect(this.x + x, this.y, 1.5, height - 26);
	}

	/** A part of the sheet with a width of its own. The pen goes back; gives the height. */
	column(x: number, width: number, draw: () => void): number {
		const { x: beforeX, y: beforeY, width: beforeWidth } = this;
		[this.x, this.width] = [beforeX + x, width];
		draw();
		const height = this.y - beforeY;
		[this.x, this.y, this.width] = [beforeX, beforeY, beforeWidth];
		return height;
	}

	/** A canvas of this size, in CSS pixels. */
	canvas(width: number, height: number, draw: (context: CanvasRenderingContext2D) => void) {
		const canvas = document.createElement("canvas");
		canvas.width = Math.round(width * this.ratio);
		canvas.height = Math.round(height * this.ratio);
		const context = contextOf(canvas);
		context.scale(this.ratio, this.ratio);
		draw(context);
		return canvas;
	}

	async png(): Promise<Uint8Array> {
		const cut = document.createElement("canvas");
		cut.width = this.whole.width;
		cut.height = Math.min(this.whole.height, Math.ceil((this.y + MARGIN) * this.ratio));
		contextOf(cut).drawImage(this.whole, 0, 0);
		const blob = await new Promise<Blob | null>((resolve) => cut.toBlob(resolve, "image/png"));
		if (!blob) {
			throw new Error("The browser could not write the picture.");
		}
		return new Uint8Array(await blob.arrayBuffer());
	}

	/** Draws a sign at the middle of a line of text. */
	private at(x: number, size: number, draw: () => void): void {
		this.context.save();
		this.context.translate(this.x + x, this.y + 0.64 * size);
		draw();
		this.context.restore();
	}
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
	const context = canvas.getContext("2d");
	if (!context) {
		throw new Error("The browser has no memory for the picture.");
	}
	return context;
}
