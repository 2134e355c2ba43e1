import type { CaseRun, Run } from "../engine/types";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { chanceOf } from "../state/chance";
import { comparison, inOrder } from "../state/headline";
import { nameOf } from "../state/names";
import { parsed } from "../state/scenario";
import { SEEDS, seeds } from "../state/seeds";
import { ranText, run } from "../state/store";
import { caseInWords, resultInBrief, runInWords, warningsInWords } from "../state/words";
import { duration } from "../units";
import { SeriesMark } from "./SeriesMark";

/** The result in words. Screen readers hear it after each run. */
export function Summary() {
	const { value } = run;
	const repeated = seeds.value;
	const chance = value ? chanceInWords(ranText.value, repeated !== undefined) : "";
	// Screen readers hear the headline once, when all seeds have run.
	const spoken = repeated && repeated.timesS.length < SEEDS ? undefined : repeated;
	return (
		<section class="results" aria-labelledby="results-title">
			<h2 id="results-title" class="hidden">
				Result
			</h2>
			<p class="hidden" role="status" id="result">
				{value ? [runInWords(value, spoken), chance].filter(Boolean).join(" ") : ""}
			</p>
			{value && (
				<>
					<div aria-hidden="true">
						<p class="headline">
							{comparison(value, repeated) || description(value.description, ranText.value)}
						</p>
						<ul class={value.cases.length > 2 ? "race" : ""}>
							{inOrder(value).map(({ one, series }) => (
								<li key={one.number}>
									<SeriesMark series={series} />
									<b>{nameOf(value, one)}</b> {result(value, one)}
								</li>
							))}
						</ul>
						<p class="faint">
							{chance} Simulated in {duration(value.elapsedMs / 1e3)}.
						</p>
					</div>
					{value.warnings.length > 0 && <p class="faint">{warningsInWords(value)}</p>}
				</>
			)}
		</section>
	);
}

function result(run: Run, one: CaseRun): string {
	const transfer = one.transfers[0];
	return run.cases.length > 2 && transfer ? resultInBrief(transfer) : caseInWords(run, one);
}

/** The sentence of a preset or lesson says what its own scenario does, and of no other. */
function description(text: string, ran: string): string {
	const shipped = [...PRESETS, ...LESSONS].map(({ toml }) => toml);
	const isOfThem = shipped.some((toml) => parsed(toml).description === text);
	return isOfThem && !shipped.includes(ran) ? "" : text;
}

function chanceInWords(ran: string, hasSeeds: boolean): string {
	const chance = chanceOf(parsed(ran)).join(", ");
	return chance === ""
		? ""
		: hasSeeds
			? `Chance: ${chance}. Below is the first of ${SEEDS} seeds; Again shows others.`
			: `One run, with chance (${chance}); Again shows another.`;
}
