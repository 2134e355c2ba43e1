/** A plot on a canvas, by uPlot. */

import uPlot from "uplot";
import { DASHES, type Palette } from "../draw/palette";
import { colourOfPhase } from "../draw/phases";
import type { CaseRun } from "../engine/types";
import { columnTimes, columnValues, type Window } from "./columns";
import type { Marks, Plot } from "./plots";
import { roundSteps, seconds, ticks } from "./ticks";

/** Width of the values' axis, and the margin on the right. The row of phases has the same. */
export const AXIS_PX = 78;
export const MARGIN_PX = 10;
/** Height of the strip of phases of each case. */
const STRIP_PX = 5;
/** Room between the strips of phases and the values. */
const GAP_PX = 10;
/** A square of this size shows at most one mark of a kind. */
const CELL_PX = 3;
const FONT_PX = 12;

export interface ChartInput {
	plot: Plot;
	cases: CaseRun[];
	/** Times are shown since this one. */
	originS: number;
	palette(): Palette;
	onSeek(timeS: number): void;
	onZoom(window: Window | undefined): void;
}

export class Chart {
	readonly plot: Plot;
	private readonly u: uPlot;
	private readonly input: ChartInput;
	private window: Window = { fromS: 0, toS: 1 };
	private range: [number, number] = [0, 1];

	constructor(parent: HTMLElement, width: number, height: number, input: ChartInput) {
		this.plot = input.plot;
		this.input = input;
		this.u = new uPlot(this.options(width, height), [[], ...this.plot.lines.map(() => [])], parent);
		// A click without a drag sets the clock.
		this.u.over.addEventListener("click", (event) => {
			if (this.u.select.width === 0) {
				const { left } = this.u.over.getBoundingClientRect();
				input.onSeek(this.u.posToVal(event.clientX - left, "x"));
			}
		});
		this.u.over.addEventListener("dblclick", () => input.onZoom(undefined));
	}

	get canvas(): HTMLCanvasElement {
		return this.u.ctx.canvas;
	}

	/** The area of the plot, into which the page places the line of the clock. */
	get over(): HTMLElement {
		return this.u.over;
	}

	/** Distance of a time from the left edge of the area, in pixels. */
	place(timeS: number): number {
		return this.u.valToPos(timeS, "x");
	}

	resize(width: number, height: number): void {
		this.u.setSize({ width, height });
		this.show(this.window);
	}

	redraw(): void {
		this.u.redraw(false, true);
	}

	destroy(): void {
		this.u.destroy();
	}

	/** Draws a part of the time. */
	show(window: Window): void {
		this.window = window;
		const columns = Math.max(50, Math.round(this.u.over.clientWidth));
		const values = this.plot.lines.map((line) => columnValues(line, window, columns));
		this.range = this.rangeOf(values);
		this.u.batch(() => {
			this.u.setData([columnTimes(window, columns), ...values], false);
			this.u.setScale("x", { min: window.fromS, max: window.toS });
			this.u.setScale("y", { min: this.range[0], max: this.range[1] });
		});
	}

	private rangeOf(values: (number | null)[][]): [number, number] {
		let low = Number.POSITIVE_INFINITY;
		let high = 0;
		for (const line of values) {
			for (const value of line) {
				if (value !== null) {
					low = Math.min(low, value);
					high = Math.max(high, value);
				}
			}
		}
		const { plot } = this;
		high = Math.min(high, plot.limit);
		for (const { value } of plot.levels) {
			// A level far above all values would make them flat.
			high = value <= 3 * high || high === 0 ? Math.max(high, value) : high;
		}
		const from = plot.isFromZero || low > high ? 0 : low;
		// The strips of phases stand above the values.
		const strips = this.input.cases.length * (STRIP_PX + 1) + GAP_PX;
		const stretch = 1 / (1 - strips / Math.max(2 * strips, this.u.over.clientHeight));
		return [from, high > from ? from + (high - from) * stretch : from + 1];
	}

	private options(width: number, height: number): uPlot.Options {
		const { plot, originS, palette } = this.input;
		const axis = {
			stroke: () => palette().ink,
			font: palette().font(FONT_PX),
			grid: { stroke: () => palette().grid, width: 1 },
			ticks: { stroke: () => palette().grid, width: 1, size: 4 },
		};
		return {
			width,
			height,
			padding: [7, MARGIN_PX, 0, 0],
			legend: { show: false },
			cursor: {
				y: false,
				points: { show: false },
				drag: { x: true, y: false, setScale: false, dist: 6 },
				sync: { key: "onramp" },
			},
			// The sync of uPlot must not move the scales: `show` sets them.
			scales: {
				x: { time: false, auto: false },
				y: { auto: false },
			},
			axes: [
				{
					...axis,
					size: 26,
					gap: 4,
					space: 64,
					splits: (u) => ticks(this.window, originS, u.over.clientWidth),
					values: (_, at) => at.map((timeS) => seconds(timeS - originS)),
				},
				{
					...axis,
					size: AXIS_PX,
					gap: 4,
					space: 34,
					incrs: roundSteps(plot.unit),
					values: (_, at) => at.map((value) => plot.format(value)),
				},
			],
			series: [
				{},
				...plot.lines.map((line): uPlot.Series => {
					const quantity = plot.quantities[line.quantity];
					return {
						stroke: () => palette().series[line.series] ?? palette().ink,
						width: quantity?.width ?? 1,
						dash: DASHES[quantity?.dash ?? "solid"],
						points: { show: false },
					};
				}),
			],
			hooks: {
				draw: [() => this.drawLevels(), () => this.drawMarks(), () => this.drawPhases()],
				setSelect: [
					(u) => {
						if (u.select.width > 0) {
							const toS = u.posToVal(u.select.left + u.select.width, "x");
							this.input.onZoom({ fromS: u.posToVal(u.select.left, "x"), toS });
							u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
						}
					},
				],
			},
		};
	}

	private drawLevels(): void {
		const { ctx, bbox } = this.u;
		const ratio = devicePixelRatio;
		ctx.save();
		ctx.fillStyle = this.input.palette().faint;
		ctx.lineJoin = "round";
		ctx.font = this.input.palette().font(FONT_PX * ratio);
		ctx.textAlign = "right";
		for (const { label, value } of this.plot.levels) {
			const y = this.u.valToPos(value, "y", true);
			if (y < bbox.top) {
				continue;
			}
			ctx.strokeStyle = this.input.palette().faint;
			ctx.lineWidth = ratio;
			ctx.setLineDash(DASHES.level.map((length) => length * ratio));
			ctx.beginPath();
			ctx.moveTo(bbox.left, y);
			ctx.lineTo(bbox.left + bbox.width, y);
			ctx.stroke();
			const text = `${label} ${this.plot.format(value)}`;
			const isLow = y - bbox.top < 30 * ratio;
			const place = [bbox.left + bbox.width - 4 * ratio, y + (isLow ? 14 : -5) * ratio] as const;
			// A rim of the page's colour, so that lines do not cross the text.
			ctx.setLineDash([]);
			ctx.strokeStyle = this.input.palette().page;
			ctx.lineWidth = 4 * ratio;
			ctx.strokeText(text, ...place);
			ctx.fillText(text, ...place);
		}
		ctx.restore();
	}

	private drawMarks(): void {
		const { ctx, bbox } = this.u;
		const ratio = devicePixelRatio;
		ctx.save();
		ctx.beginPath();
		ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
		ctx.clip();
		ctx.lineWidth = 1.5 * ratio;
		for (const marks of this.plot.marks) {
			ctx.strokeStyle = this.input.palette().series[marks.series] ?? "";
			ctx.beginPath();
			this.tracePlaces(marks, (x, y) => {
				if (marks.shape === "ring") {
					ctx.moveTo(x + 4 * ratio, y);
					ctx.arc(x, y, 4 * ratio, 0, 2 * Math.PI);
				} else {
					const arm = 3.5 * ratio;
					ctx.moveTo(x - arm, y - arm);
					ctx.lineTo(x + arm, y + arm);
					ctx.moveTo(x - arm, y + arm);
					ctx.lineTo(x + arm, y - arm);
				}
			});
			ctx.stroke();
		}
		ctx.restore();
	}

	private tracePlaces(marks: Marks, trace: (x: number, y: number) => void): void {
		const seen = new Set<number>();
		const cell = CELL_PX * devicePixelRatio;
		for (const [at, timeS] of marks.timeS.entries()) {
			if (timeS < this.window.fromS || timeS > this.window.toS) {
				continue;
			}
			const x = this.u.valToPos(timeS, "x", true);
			const y = this.u.valToPos(marks.value[at] ?? 0, "y", true);
			const key = Math.floor(x / cell) * 100_000 + Math.floor(y / cell);
			if (!seen.has(key)) {
				seen.add(key);
				trace(x, y);
			}
		}
	}

	/** A strip for each case at the top, and a line where its start-up ends. */
	private drawPhases(): void {
		const { ctx, bbox } = this.u;
		const ratio = devicePixelRatio;
		ctx.save();
		ctx.beginPath();
		ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
		ctx.clip();
		for (const [series, one] of this.input.cases.entries()) {
			const transfer = one.transfers[0];
			const top = bbox.top + series * (STRIP_PX + 1) * ratio;
			for (const phase of transfer?.phases ?? []) {
				const x = this.u.valToPos(phase.beginS, "x", true);
				const to = this.u.valToPos(phase.endS, "x", true);
				ctx.fillStyle = colourOfPhase(this.input.palette(), phase.name);
				ctx.fillRect(x, top, Math.max(ratio, to - x), STRIP_PX * ratio);
			}
			const exit = transfer?.events.find((event) => event.kind === "exit");
			if (exit) {
				const x = this.u.valToPos(exit.timeS, "x", true);
				ctx.strokeStyle = this.input.palette().series[series] ?? "";
				ctx.lineWidth = 1.2 * ratio;
				ctx.setLineDash(DASHES.dashDot.map((length) => length * ratio));
				ctx.beginPath();
				ctx.moveTo(x, top);
				ctx.lineTo(x, bbox.top + bbox.height);
				ctx.stroke();
			}
		}
		ctx.restore();
	}
}
