import { useMemo, useState } from "preact/hooks";
import type { Run } from "../engine/types";
import { type Plot, plotsOf } from "../plots/plots";
import { isZoomed, showWhole, zoomBy } from "../plots/view";
import { nameOf } from "../state/names";
import { PhaseRows } from "./PhaseRows";
import { PlotFigure } from "./PlotFigure";
import { SeriesMark } from "./SeriesMark";

export function Plots({ run }: { run: Run }) {
	// Lines that coincide hide each other, so each case can be left out.
	const [hidden, setHidden] = useState<readonly number[]>([]);
	const plots = useMemo(() => plotsOf(run).map((plot) => without(plot, hidden)), [run, hidden]);
	return (
		<section class="plots" aria-labelledby="plots-title">
			<div class="plots-head">
				<h2 id="plots-title">Over time</h2>
				{run.cases.length > 1 && (
					<fieldset class="row shown">
						<legend class="hidden">Lines that are shown</legend>
						{run.cases.map((one, series) => (
							<label key={one.number}>
								<input
									type="checkbox"
									checked={!hidden.includes(series)}
									onChange={(event) => {
										const others = hidden.filter((other) => other !== series);
										setHidden(event.currentTarget.checked ? others : [...others, series]);
									}}
								/>{" "}
								<SeriesMark series={series} /> {nameOf(run, one)}
							</label>
						))}
					</fieldset>
				)}
				<div class="row">
					<button type="button" onClick={() => zoomBy(2)}>
						More detail
					</button>
					<button type="button" onClick={() => zoomBy(0.5)} disabled={!isZoomed.value}>
						Less
					</button>
					<button type="button" onClick={showWhole} disabled={!isZoomed.value}>
						Whole run
					</button>
				</div>
			</div>
			<PhaseRows run={run} />
			<div class="plots-grid">
				{plots.map((plot) => (
					<PlotFigure key={plot.id} plot={plot} run={run} />
				))}
			</div>
		</section>
	);
}

function without(plot: Plot, hidden: readonly number[]): Plot {
	const isShown = ({ series }: { series: number }) => !hidden.includes(series);
	return { ...plot, lines: plot.lines.filter(isShown), marks: plot.marks.filter(isShown) };
}
