import { run } from "../state/store";
import { comparison, nameOf, resultInWords, runInWords } from "../state/words";
import { duration } from "../units";
import { SeriesMark } from "./SeriesMark";

/** The result in words. Screen readers hear it after each run. */
export function Summary() {
	const { value } = run;
	return (
		<section class="results" aria-labelledby="results-title">
			<h2 id="results-title" class="hidden">
				Result
			</h2>
			<p class="hidden" role="status" id="result">
				{value ? runInWords(value) : ""}
			</p>
			{value && (
				<div aria-hidden="true">
					<p class="headline">{comparison(value) || value.description}</p>
					<ul>
						{value.cases.map((one, at) => (
							<li key={one.number}>
								<SeriesMark series={at} />
								<b>{nameOf(value, one)}</b>{" "}
								{one.transfers[0] ? resultInWords(one.transfers[0]) : ""}
							</li>
						))}
					</ul>
					<p class="faint">Simulated in {duration(value.elapsedMs / 1e3)}.</p>
				</div>
			)}
		</section>
	);
}
