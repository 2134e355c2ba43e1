import { type TomlTable, tablesAt, valueAt, withoutTable, withTable } from "../state/scenario";
import { editKey, facts, scenario, scenarioText, setScenario } from "../state/store";
import { faultsOf, useInputText } from "./Field";
import { Group } from "./Group";
import { Words } from "./Words";

const LONG_FLOW: TomlTable = { startup: "none", avoidance: "cubic", lead: "5 s" };
const CONSTANT: TomlTable = { kind: "constant", rate: "5 Mbit/s" };

/** Other traffic on the path. */
export function Traffic() {
	const all = tablesAt(scenario.value ?? {}, "traffic");
	const add = (table: TomlTable) => setScenario(withTable(scenarioText.peek(), "traffic", table));
	return (
		<Group
			title="Others on the path"
			count={all.length > 0 ? String(all.length) : ""}
			isOpen={all.length > 0}
		>
			{all.map((one, at) => (
				<Source key={String(at)} index={at} table={one} />
			))}
			<div class="row">
				<button type="button" onClick={() => add(LONG_FLOW)}>
					Add a long flow
				</button>
				<button type="button" onClick={() => add(CONSTANT)}>
					Add a constant rate
				</button>
			</div>
		</Group>
	);
}

function Source({ index, table }: { index: number; table: TomlTable }) {
	const kind = String(table.kind ?? "transfer");
	const isTransfer = kind === "transfer";
	return (
		<fieldset class="source">
			<legend>
				{index + 1}: {isTransfer ? "TCP" : kind}
			</legend>
			{isTransfer ? (
				<div class="field">
					<label for={`traffic-${index}-avoidance`}>Control</label>
					<select
						id={`traffic-${index}-avoidance`}
						value={String(table.avoidance ?? "cubic")}
						onChange={(event) =>
							editKey(["traffic", index, "avoidance"], event.currentTarget.value)
						}
					>
						{(facts.value?.avoidances ?? ["cubic"]).map((name) => (
							<option key={name} value={name}>
								{name}
							</option>
						))}
					</select>
				</div>
			) : (
				<Value index={index} name="rate" label="Rate" absent="required" />
			)}
			{isTransfer && <Value index={index} name="count" label="Flows" absent="1" />}
			{isTransfer && <Value index={index} name="size" label="Size" absent="without end" />}
			<Value index={index} name="lead" label="Begins before" absent="5 s" />
			<button
				type="button"
				onClick={() => setScenario(withoutTable(scenarioText.peek(), "traffic", index))}
			>
				Remove
			</button>
		</fieldset>
	);
}

function Value(props: { index: number; name: string; label: string; absent: string }) {
	const key = ["traffic", props.index, props.name];
	const id = key.join("-");
	const value = valueAt(scenario.value ?? {}, key);
	const written = value === undefined ? "" : String(value);
	const input = useInputText(written);
	const message = faultsOf(key);
	return (
		<div class={message ? "field wrong" : "field"}>
			<label for={id}>{props.label}</label>
			<input
				ref={input}
				id={id}
				type="text"
				autocomplete="off"
				defaultValue={written}
				placeholder={props.absent}
				aria-invalid={message !== ""}
				onChange={(event) => {
					const text = event.currentTarget.value.trim();
					const isInteger = props.name === "count" && /^\d+$/.test(text);
					editKey(key, isInteger ? Number(text) : text || undefined);
				}}
			/>
			{message && (
				<p class="message">
					<Words text={message} />
				</p>
			)}
		</div>
	);
}
