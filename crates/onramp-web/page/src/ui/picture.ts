/** The picture and the plots of the page as one PNG: a figure that says by itself what it shows. */

import { Lane, laneHeight } from "../draw/lane";
import { DASHES, palette } from "../draw/palette";
import { colourOfPhase } from "../draw/phases";
import type { CaseRun, Run } from "../engine/types";
import { AXIS_PX, MARGIN_PX } from "../plots/chart";
import { type Plot, plotsOf } from "../plots/plots";
import { view } from "../plots/view";
import { timeS } from "../state/clock";
import { comparison } from "../state/headline";
import { nameOf } from "../state/names";
import { wordsOf } from "../state/probing";
import { seeds } from "../state/seeds";
import { rttS, span } from "../state/store";
import { caseInWords, namedPhase } from "../state/words";
import { clockTime, grouped, significant } from "../units";
import { Sheet } from "./sheet";

const GAP = 24;
const PHASE_HEIGHT = 20;

/** A plot of the page as it is drawn there. */
interface Drawn {
	canvas: HTMLCanvasElement;
	width: number;
	height: number;
	/** Place of the clock's line; NaN: out of view. */
	clockX: number;
}

export async function picture(run: Run, version: string): Promise<Uint8Array> {
	const plots = plotsOf(run).flatMap((plot) => {
		const drawn = drawnPlot(plot.id);
		return drawn ? [{ plot, drawn }] : [];
	});
	const width = Math.max(640, ...plots.map(({ drawn }) => drawn.width));
	const sheet = new Sheet(width, palette.peek());
	const { fromS, toS } = span.peek();
	const nowS = timeS.peek();
	const clock = clockTime(nowS - fromS, (toS - fromS) / 1000);
	sheet.text(run.name, { size: 18, isBold: true });
	const rounds = significant((nowS - fromS) / rttS.peek(), 3);
	sheet.text(`At ${clock}, RTT ${rounds}. Simulated by Onramp ${version}.`, { isFaint: true });
	sheet.text(comparison(run, seeds.peek()) || run.description, { size: 15 });
	for (const [series, one] of run.cases.entries()) {
		sheet.text(`${nameOf(run, one)}: ${caseInWords(run, one)}`, { series });
	}
	for (const [series, one] of run.cases.entries()) {
		drawLane(sheet, run, one, series);
	}
	drawKinds(sheet, run);
	drawPhases(sheet, run);
	drawPlots(sheet, run, plots);
	return sheet.png();
}

function drawnPlot(id: string): Drawn | undefined {
	const figure = document.querySelector(`.plot-${id}`);
	const canvas = figure?.querySelector("canvas");
	if (!canvas) {
		return undefined;
	}
	const { left, width, height } = canvas.getBoundingClientRect();
	const clock = figure?.querySelector<HTMLElement>(".clock");
	const isSeen = clock?.style.visibility === "visible";
	const clockX = clock && isSeen ? clock.getBoundingClientRect().left - left : Number.NaN;
	return { canvas, width, height, clockX };
}

/** The path at the moment of the clock, as wide as the figure. */
function drawLane(sheet: Sheet, run: Run, one: CaseRun, series: number): void {
	const lane = new Lane(one);
	const drops = lane.dropsUntil(timeS.peek());
	const what = drops > 0 ? `✕ ${grouped(drops)} dropped or lost` : "nothing dropped";
	sheet.gap(10);
	sheet.text(`${nameOf(run, one)} – ${what}`, { series, isBold: true });
	const height = laneHeight(one, sheet.width);
	const canvas = sheet.canvas(sheet.width, height, (context) => {
		lane.draw(context, sheet.width, {
			timeS: timeS.peek(),
			dropSeenS: 0.15 * one.rttS,
			dropsFall: false,
			palette: palette.peek(),
			colour: sheet.colour(series),
		});
	});
	sheet.image(canvas, 0, sheet.width, height);
	sheet.gap(height);
}

/** What the shapes of the packets mean. */
function drawKinds(sheet: Sheet, run: Run): void {
	const { ink, page, others } = palette.peek();
	const hasOthers = run.cases.some((one) => one.flows.some((flow) => flow.transfer < 0));
	sheet.row([
		{ width: 6, draw: (at) => at.bar(ink, 6, 14), words: "data" },
		{
			width: 6,
			draw: (at) => {
				at.bar(ink, 6, 18);
				at.bar(page, 6, 6);
			},
			words: "retransmission",
		},
		{ width: 2, draw: (at) => at.bar(ink, 2, 9), words: "ACK, handshake" },
		{ width: 0, draw: () => {}, words: "✕ dropped" },
		...(hasOthers
			? [{ width: 6, draw: (at: Sheet) => at.bar(others, 6, 8), words: "other traffic" }]
			: []),
	]);
}

function drawPhases(sheet: Sheet, run: Run): void {
	const { fromS, toS } = view.peek();
	const innerWidth = sheet.width - AXIS_PX - MARGIN_PX;
	const place = (atS: number) =>
		AXIS_PX + (innerWidth * (Math.min(toS, Math.max(fromS, atS)) - fromS)) / (toS - fromS);
	for (const [series, one] of run.cases.entries()) {
		const transfer = one.transfers[0];
		if (!transfer || transfer.phases.length === 0) {
			continue;
		}
		sheet.gap(6);
		sheet.text(`Phases of ${nameOf(run, one)}`, { series });
		for (const phase of transfer.phases) {
			const [from, to] = [place(phase.beginS), place(phase.endS)];
			const colour = colourOfPhase(palette.peek(), phase.name);
			const [name] = namedPhase(wordsOf(transfer, phase));
			sheet.box(from, to - from, PHASE_HEIGHT, colour, name);
		}
		sheet.gap(PHASE_HEIGHT + 2);
	}
}

/** As many plots beside each other as there is room for. */
function drawPlots(sheet: Sheet, run: Run, plots: { plot: Plot; drawn: Drawn }[]): void {
	let rest = plots;
	while (rest.length > 0) {
		let count = 1;
		const widthOf = (of: number) =>
			rest.slice(0, of).reduce((sum, { drawn }) => sum + drawn.width, (of - 1) * GAP);
		while (count < rest.length && widthOf(count + 1) <= sheet.width + 1) {
			count += 1;
		}
		let x = 0;
		let height = 0;
		sheet.gap(14);
		for (const { plot, drawn } of rest.slice(0, count)) {
			height = Math.max(height, drawPlot(sheet, run, plot, drawn, x));
			x += drawn.width + GAP;
		}
		sheet.gap(height);
		rest = rest.slice(count);
	}
}

/** Gives the height. */
function drawPlot(sheet: Sheet, run: Run, plot: Plot, drawn: Drawn, x: number): number {
	return sheet.column(x, drawn.width, () => {
		sheet.text(plot.title, { isBold: true });
		const lines = plot.quantities.map(({ label, dash, width }) => ({
			width: 26,
			draw: (at: Sheet) => at.line(26, width, DASHES[dash]),
			words: label,
		}));
		const used = plot.keys.filter(({ shape }) =>
			plot.marks.some((marks) => marks.shape === shape && marks.timeS.length > 0),
		);
		const marks = used.map(({ shape, label }) => ({
			width: 0,
			draw: () => {},
			words: `${shape === "ring" ? "○" : "✕"} ${label}`,
		}));
		const cases = run.cases.map((one, series) => ({
			width: 14,
			draw: (at: Sheet) => at.mark(series),
			words: nameOf(run, one),
		}));
		sheet.row([...lines, ...marks]);
		sheet.row(cases);
		sheet.image(drawn.canvas, 0, drawn.width, drawn.height);
		if (!Number.isNaN(drawn.clockX)) {
			sheet.clock(drawn.clockX, drawn.height);
		}
		sheet.gap(drawn.height);
	});
}
