import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { DASHES, palette } from "../draw/palette";
import type { Run } from "../engine/types";
import { Chart } from "../plots/chart";
import { valueAtTime } from "../plots/columns";
import type { Plot, Quantity } from "../plots/plots";
import { showWhole, view, zoomTo } from "../plots/view";
import { seek, shownTimeS, timeS } from "../state/clock";
import { nameOf } from "../state/names";
import { span } from "../state/store";
import { SeriesMark } from "./SeriesMark";

const HEIGHT = 220;

/** A plot with its values at the clock. */
export function PlotFigure({ plot, run }: { plot: Plot; run: Run }) {
	const parent = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const element = parent.current;
		if (!element) {
			return;
		}
		const chart = new Chart(element, element.clientWidth, HEIGHT, {
			plot,
			cases: run.cases,
			originS: span.peek().fromS,
			palette: () => palette.peek(),
			onSeek: seek,
			onZoom: (window) => (window ? zoomTo(window) : showWhole()),
		});
		const clock = document.createElement("i");
		clock.className = "clock";
		chart.over.append(clock);
		const placeClock = () => {
			const x = chart.place(timeS.peek());
			const isSeen = x >= 0 && x <= chart.over.clientWidth;
			clock.style.transform = `translateX(${x}px)`;
			clock.style.visibility = isSeen ? "visible" : "hidden";
		};
		const stop = [
			effect(() => {
				chart.show(view.value);
				placeClock();
			}),
			effect(() => {
				palette.value;
				chart.redraw();
			}),
			effect(() => {
				timeS.value;
				placeClock();
			}),
		];
		const observer = new ResizeObserver(() => {
			chart.resize(element.clientWidth, HEIGHT);
			placeClock();
		});
		observer.observe(element);
		return () => {
			observer.disconnect();
			for (const one of stop) {
				one();
			}
			chart.destroy();
		};
	}, [plot, run]);
	return (
		<figure class={`plot plot-${plot.id}`}>
			<h3 id={`plot-${plot.id}`}>{plot.title}</h3>
			<Values plot={plot} run={run} />
			<div ref={parent} role="img" aria-label={nameOfPlot(plot)} />
			{plot.note && <p class="note">{plot.note}</p>}
		</figure>
	);
}

function nameOfPlot(plot: Plot): string {
	const labels = plot.quantities.map((one) => one.label).join(", ");
	return `${plot.title} over time: ${labels}. The table has the values at the clock.`;
}

/** The legend, with the values at the clock. */
function Values({ plot, run }: { plot: Plot; run: Run }) {
	const nowS = shownTimeS.value;
	const used = plot.keys.filter(({ shape }) =>
		plot.marks.some((marks) => marks.shape === shape && marks.timeS.length > 0),
	);
	const inTable = plot.quantities.flatMap((quantity, at) =>
		quantity.isAside ? [] : [{ quantity, at }],
	);
	const aside = plot.quantities.filter(({ isAside }) => isAside);
	return (
		<div class="values">
			<table aria-labelledby={`plot-${plot.id}`}>
				<thead>
					<tr>
						<td />
						{inTable.map(({ quantity }) => (
							<th key={quantity.label} scope="col">
								<LineKey quantity={quantity} />
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{run.cases.map((one, series) => (
						<tr key={one.number}>
							<th scope="row">
								<SeriesMark series={series} />
								{nameOf(run, one)}
							</th>
							{inTable.map(({ quantity, at }) => {
								const line = plot.lines.find(
									(other) => other.series === series && other.quantity === at,
								);
								const value = line ? valueAtTime(line, nowS) : Number.NaN;
								return <td key={quantity.label}>{plot.format(value)}</td>;
							})}
						</tr>
					))}
				</tbody>
			</table>
			{aside.map((quantity) => (
				<span class="faint" key={quantity.label}>
					<LineKey quantity={quantity} />
				</span>
			))}
			{used.map(({ shape, label }) => (
				<span class="faint" key={shape}>
					{shape === "ring" ? "○" : "✕"} {label}{" "}
				</span>
			))}
		</div>
	);
}

function LineKey({ quantity }: { quantity: Quantity }) {
	return (
		<span class="line">
			<svg width="26" height="6" aria-hidden="true">
				<line
					x1="0"
					y1="3"
					x2="26"
					y2="3"
					stroke="currentColor"
					stroke-width={quantity.width}
					stroke-dasharray={DASHES[quantity.dash].join(" ")}
				/>
			</svg>
			<span>{quantity.label}</span>
		</span>
	);
}
