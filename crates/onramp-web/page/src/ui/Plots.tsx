import { useMemo } from "preact/hooks";
import type { Run } from "../engine/types";
import { plotsOf } from "../plots/plots";
import { isZoomed, showWhole, zoomBy } from "../plots/view";
import { PhaseRows } from "./PhaseRows";
import { PlotFigure } from "./PlotFigure";

export function Plots({ run }: { run: Run }) {
	const plots = useMemo(() => plotsOf(run), [run]);
	return (
		<section class="plots" aria-labelledby="plots-title">
			<div class="plots-head">
				<h2 id="plots-title">Over time</h2>
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
