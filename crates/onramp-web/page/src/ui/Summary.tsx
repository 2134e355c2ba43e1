import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { chanceOf } from "../state/chance";
import { nameOf } from "../state/names";
import { parsed } from "../state/scenario";
import { ranText, run } from "../state/store";
import { caseInWords, comparison, runInWords, warningsInWords } from "../state/words";
import { duration } from "../units";
import { SeriesMark } from "./SeriesMark";

/** The result in words. Screen readers hear it after each run. */
export function Summary() {
	const { value } = run;
	const chance = value ? chanceInWords(ranText.value) : "";
	return (
		<section class="results" aria-labelledby="results-title">
			<h2 id="results-title" class="hidden">
				Result
			</h2>
			<p class="hidden" role="status" id="result">
				{value ? [runInWords(value), chance].filter(Boolean).join(" ") : ""}
			</p>
			{value && (
				<>
					<div aria-hidden="true">
						<p class="headline">
							{comparison(value) || description(value.description, ranText.value)}
						</p>
						<ul>
							{value.cases.map((one, at) => (
								<li key={one.number}>
									<SeriesMark series={at} />
									<b>{nameOf(value, one)}</b> {caseInWords(value, one)}
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

/** The sentence of a preset or lesson says what its own scenario does, and of no other. */
function description(text: string, ran: string): string {
	const shipped = [...PRESETS, ...LESSONS].map(({ toml }) => toml);
	const isOfThem = shipped.some((toml) => parsed(toml).description === text);
	return isOfThem && !shipped.includes(ran) ? "" : text;
}

function chanceInWords(ran: string): string {
	const chance = chanceOf(parsed(ran));
	return chance.length > 0
		? `One run, with chance (${chance.join(", ")}); Again shows another.`
		: "";
}
