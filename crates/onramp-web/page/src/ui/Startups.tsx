import { guaranteedRate } from "../state/fields";
import { avoidanceName, grouped, startupName } from "../state/names";
import { valueAt } from "../state/scenario";
import { editKey, facts, scenario, scenarioText, setScenario } from "../state/store";
import {
	choicesOf,
	transfersWithRate,
	withMoreStartups,
	withoutStartup,
	withStartup,
} from "../state/transfers";
import { faultsOf, ValueField } from "./Field";
import { SeriesMark } from "./SeriesMark";
import { Words } from "./Words";

const AVOIDANCE = ["transfer", 0, "avoidance"] as const;
/** Without that key. */
const ABSENT = "cubic";

/** The start-ups that run against each other on the same seed, and what follows them. */
export function Startups() {
	const choices = choicesOf(scenario.value ?? {});
	const chosen = choices.map(({ name }) => name);
	const all = facts.value?.startups ?? chosen.map((name) => ({ name, summary: "" }));
	const groups = grouped(all.map((one) => one.name));
	const unused = groups.flatMap(({ names }) => names).filter((name) => !chosen.includes(name));
	const [avoidance = ABSENT] = listAt(AVOIDANCE, ABSENT);
	const label = (name: string) => startupName(name, avoidance);
	const write = (edit: (text: string) => string) => setScenario(edit(scenarioText.peek()));
	const transfers = [...new Set(choices.map(({ transfer }) => transfer))];
	const message = transfers
		.map((transfer) => faultsOf(["transfer", transfer, "startup"]))
		.filter(Boolean)
		.join(" ");
	return (
		<div class={message ? "startups wrong" : "startups"}>
			{chosen.map((name, at) => (
				<div class="choice" key={String(at)}>
					<SeriesMark series={at} />
					<select
						aria-label={`Start-up ${at + 1}`}
						value={name}
						title={all.find((one) => one.name === name)?.summary ?? ""}
						onChange={({ currentTarget: { value } }) =>
							write((text) => withStartup(text, at, value))
						}
					>
						{groups.map((group) => {
							const options = group.names.filter((one) => one === name || unused.includes(one));
							return (
								options.length > 0 && (
									<optgroup key={group.label} label={group.label}>
										{options.map((option) => (
											<option key={option} value={option}>
												{label(option)}
											</option>
										))}
									</optgroup>
								)
							);
						})}
					</select>
					{chosen.length > 1 && (
						<button
							type="button"
							aria-label={`Remove start-up ${label(name)}`}
							onClick={() => write((text) => withoutStartup(text, at))}
						>
							×
						</button>
					)}
					<p class="summary">{all.find((one) => one.name === name)?.summary}</p>
				</div>
			))}
			{chosen.length < (facts.value?.maxCases ?? 1) && unused.length > 0 && (
				<button
					type="button"
					onClick={() => write((text) => withMoreStartups(text, unused[0] ?? ""))}
				>
					Add a start-up
				</button>
			)}
			{message && (
				<p class="message">
					<Words text={message} />
				</p>
			)}
			{transfersWithRate(scenario.value ?? {}).map((transfer) => (
				<ValueField key={String(transfer)} field={guaranteedRate(transfer)} />
			))}
			<Avoidance />
		</div>
	);
}

function Avoidance() {
	const [first = ABSENT, ...others] = listAt(AVOIDANCE, ABSENT);
	const all = facts.value?.avoidances ?? [first];
	const message = faultsOf(AVOIDANCE);
	return (
		<div class={message ? "field wrong" : "field"}>
			<label for="avoidance" title="Congestion avoidance that follows the start-up">
				Then
			</label>
			<select
				id="avoidance"
				value={first}
				onChange={(event) => editKey(AVOIDANCE, event.currentTarget.value)}
			>
				{all.map((name) => (
					<option key={name} value={name}>
						{avoidanceName(name)}
					</option>
				))}
			</select>
			{others.length > 0 && <p class="note">and {others.map(avoidanceName).join(", ")}</p>}
			{message && (
				<p class="message">
					<Words text={message} />
				</p>
			)}
		</div>
	);
}

function listAt(key: readonly (string | number)[], absent: string): string[] {
	const value = valueAt(scenario.value ?? {}, key);
	return Array.isArray(value) ? value.map(String) : [value === undefined ? absent : String(value)];
}
