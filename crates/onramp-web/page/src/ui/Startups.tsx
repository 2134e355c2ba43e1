import { valueAt } from "../state/scenario";
import { editKey, facts, scenario } from "../state/store";
import { faultsOf } from "./Field";
import { SeriesMark } from "./SeriesMark";
import { Words } from "./Words";

const STARTUP = ["transfer", 0, "startup"] as const;
const AVOIDANCE = ["transfer", 0, "avoidance"] as const;

/** The start-ups that run against each other on the same seed, and what follows them. */
export function Startups() {
	const chosen = listAt(STARTUP, "standard");
	const all = facts.value?.startups ?? chosen.map((name) => ({ name, summary: "" }));
	const names = all.map((one) => one.name);
	const unused = names.filter((name) => !chosen.includes(name));
	const write = (list: string[]) => editKey(STARTUP, list.length === 1 ? list[0] : list);
	const message = faultsOf(STARTUP);
	return (
		<div class={message ? "startups wrong" : "startups"}>
			{chosen.map((name, at) => (
				<div class="choice" key={String(at)}>
					<SeriesMark series={at} />
					<select
						aria-label={`Start-up ${at + 1}`}
						value={name}
						title={all.find((one) => one.name === name)?.summary ?? ""}
						onChange={(event) => write(chosen.with(at, event.currentTarget.value))}
					>
						{[name, ...unused]
							.sort((a, b) => names.indexOf(a) - names.indexOf(b))
							.map((option) => (
								<option key={option} value={option}>
									{option}
								</option>
							))}
					</select>
					{chosen.length > 1 && (
						<button
							type="button"
							aria-label={`Remove start-up ${name}`}
							onClick={() => write(chosen.toSpliced(at, 1))}
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
					onClick={() =>
						write([...chosen, unused.includes("onramp") ? "onramp" : (unused[0] ?? "")])
					}
				>
					Add a start-up
				</button>
			)}
			{message && (
				<p class="message">
					<Words text={message} />
				</p>
			)}
			<Avoidance />
		</div>
	);
}

function Avoidance() {
	const [first = "cubic", ...others] = listAt(AVOIDANCE, "cubic");
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
						{name}
					</option>
				))}
			</select>
			{others.length > 0 && <p class="note">and {others.join(", ")}</p>}
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
