import type { CaseRun, Run } from "../engine/types";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { chanceOf } from "../state/chance";
import { comparison, inOrder } from "../state/headline";
import { nameOf } from "../state/names";
import { parsed } from "../state/scenario";
import { SEEDS, seeds } from "../state/seeds";
import { lessonIndex, preset, ranText, run } from "../state/store";
import { caseInWords, resultInBrief, runInWords, warningsInWords } from "../state/words";
import { duration } from "../units";
import { SeriesMark } from "./SeriesMark";

/** The one sentence of the page, and what the path is. Screen readers hear the result. */
export function Headline() {
	const { value } = run;
	const repeated = seeds.value;
	const chance = value ? chanceInWords(ranText.value, repeated !== undefined) : "";
	const isLesson = lessonIndex.value !== undefined && isShipped(ranText.value);
	// Screen readers hear the headline once, when all seeds have run.
	const spoken = repeated && repeated.timesS.length < SEEDS ? undefined : repeated;
	return (
		<section class="head-result" aria-labelledby="results-title">
			<h2 id="results-title" class="hidden">
				Result
			</h2>
			<p class="hidden" role="status" id="result">
				{value ? [runInWords(value, spoken), chance].filter(Boolean).join(" ") : ""}
			</p>
			{value && (
				<>
					{!isLesson && (
						<p class="headline" aria-hidden="true">
							{comparison(value, repeated) || description(value.description, ranText.value)}
						</p>
					)}
					{preset.value && !isLesson && <p class="standfirst">{preset.value.sentence}</p>}
				</>
			)}
		</section>
	);
}

/** All results in numbers. */
export function Results({ run }: { run: Run }) {
	const chance = chanceInWords(ranText.value, seeds.value !== undefined);
	const first = run.cases[0];
	const elements = first?.links[first.bottleneck]?.elements;
	const backElements = first?.returnLinks[first.returnBottleneck]?.elements;
	return (
		<div class="results">
			<ul class={run.cases.length > 2 ? "race" : ""} aria-hidden="true">
				{inOrder(run).map(({ one, series }) => (
					<li key={one.number}>
						<SeriesMark series={series} />
						<b>{nameOf(run, one)}</b> {result(run, one)}
					</li>
				))}
			</ul>
			<p class="faint" aria-hidden="true">
				{chance} Simulated in {duration(run.elapsedMs / 1e3)}.
			</p>
			{elements && <p class="faint">Link: {elements}.</p>}
			{backElements && <p class="faint">Return path: {backElements}.</p>}
			{run.warnings.length > 0 && <p class="faint">{warningsInWords(run)}</p>}
		</div>
	);
}

function result(run: Run, one: CaseRun): string {
	const transfer = one.transfers[0];
	return run.cases.length > 2 && transfer ? resultInBrief(transfer) : caseInWords(run, one);
}

/** The sentence of a preset or lesson says what its own scenario does, and of no other. */
function description(text: string, ran: string): string {
	const isOfThem = SCENARIOS.some((toml) => parsed(toml).description === text);
	return isOfThem && !isShipped(ran) ? "" : text;
}

const SCENARIOS = [...PRESETS, ...LESSONS].map(({ toml }) => toml);

function isShipped(text: string): boolean {
	return SCENARIOS.includes(text);
}

function chanceInWords(ran: string, hasSeeds: boolean): string {
	const chance = chanceOf(parsed(ran)).join(", ");
	return chance === ""
		? ""
		: hasSeeds
			? `Chance: ${chance}. The picture is of the first of ${SEEDS} seeds; Again shows others.`
			: `One run, with chance (${chance}); Again shows another.`;
}
