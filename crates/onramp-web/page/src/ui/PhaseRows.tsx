import { groupOfPhase } from "../draw/phases";
import type { Phase, Run, TransferRun } from "../engine/types";
import { AXIS_PX, MARGIN_PX } from "../plots/chart";
import { view } from "../plots/view";
import { timeS } from "../state/clock";
import { nameOf } from "../state/names";
import { wordsOf } from "../state/probing";
import { namedPhase } from "../state/words";
import { duration } from "../units";
import { SeriesMark } from "./SeriesMark";

/** A name of so many characters has room beside its row, where the plots have their axis. */
const SHORT_CHARS = 8;

/** The phases of each start-up in words, on the time of the plots below. */
export function PhaseRows({ run }: { run: Run }) {
	const { fromS, toS } = view.value;
	const place = (atS: number) =>
		(100 * (Math.min(toS, Math.max(fromS, atS)) - fromS)) / (toS - fromS);
	const rows = run.cases.flatMap((one, series) => {
		const transfer = one.transfers[0];
		return transfer && transfer.phases.length > 0 ? [{ one, series, transfer }] : [];
	});
	if (rows.length === 0) {
		return null;
	}
	return (
		<div class="phases">
			{rows.map(({ one, series, transfer }) => (
				<div class="phase-row" key={one.number}>
					<p class={nameOf(run, one).length <= SHORT_CHARS ? "short" : ""}>
						<SeriesMark series={series} /> {nameOf(run, one)}
					</p>
					<ol
						style={{ marginLeft: `${AXIS_PX}px`, marginRight: `${MARGIN_PX}px` }}
						aria-label={`Phases of ${nameOf(run, one)}`}
					>
						{transfer.phases.filter(isSeen).map((phase) => (
							<li
								key={`${phase.beginS} ${phase.name}`}
								class={`phase-${groupOfPhase(phase.name)}`}
								title={titleOf(transfer, phase)}
								style={{
									left: `${place(phase.beginS)}%`,
									width: `${place(phase.endS) - place(phase.beginS)}%`,
								}}
							>
								{namedPhase(wordsOf(transfer, phase))[0]}
							</li>
						))}
					</ol>
				</div>
			))}
			<PhaseClock />
		</div>
	);

	function isSeen(phase: Phase): boolean {
		return phase.endS > fromS && phase.beginS < toS;
	}
}

/** The clock's line: the only part of the rows that changes with each frame. */
function PhaseClock() {
	const { fromS, toS } = view.value;
	const share = (timeS.value - fromS) / (toS - fromS);
	return (
		<div class="phase-clock" style={{ left: `${AXIS_PX}px`, right: `${MARGIN_PX}px` }}>
			{share >= 0 && share <= 1 && <i style={{ left: `${100 * share}%` }} />}
		</div>
	);
}

function titleOf(transfer: TransferRun, phase: Phase): string {
	const [begin, end] = [phase.beginS, phase.endS].map((atS) => duration(atS - transfer.startS));
	return `${wordsOf(transfer, phase)}, from ${begin} to ${end}`;
}
