import { useLayoutEffect, useRef } from "preact/hooks";
import { nearestStep, withUnit } from "../state/amount";
import type { Field } from "../state/fields";
import { edited, type Key, type TomlValue, valueAt } from "../state/scenario";
import { faults, scenario, scenarioText, setScenario } from "../state/store";
import { commonKeys } from "../state/transfers";
import { Words } from "./Words";

/** A value as text and as a slider. The engine judges it, and its message stands below. */
export function ValueField({ field }: { field: Field }) {
	const id = field.key.join("-");
	const value = valueAt(scenario.value ?? {}, field.key);
	const text = textOf(value);
	const input = useInputText(text);
	const commit = (next: string) => {
		const written = textOf(valueFrom(next, field.unit));
		if (written !== text) {
			setScenario(withField(scenarioText.peek(), field, next));
		} else if (input.current) {
			input.current.value = text;
		}
	};
	const step = nearestStep(text, field.steps);
	const message = faultsOf(field.key);
	return (
		<div class={message ? "field wrong" : "field"}>
			<label for={id} title={field.hint}>
				{field.label}
			</label>
			<input
				ref={input}
				id={id}
				type="text"
				autocomplete="off"
				spellcheck={false}
				defaultValue={text}
				placeholder={field.absent}
				aria-invalid={message !== ""}
				aria-describedby={message ? `${id}-message` : `${id}-hint`}
				onChange={(event) => commit(event.currentTarget.value)}
			/>
			<input
				class={step < 0 && text !== "" ? "slider elsewhere" : "slider"}
				type="range"
				min={0}
				max={field.steps.length - 1}
				value={Math.max(step, 0)}
				aria-label={`${field.label}, in steps`}
				aria-valuetext={text || field.absent}
				onInput={(event) => commit(field.steps[event.currentTarget.valueAsNumber] ?? "")}
			/>
			<span class="hidden" id={`${id}-hint`}>
				{field.hint}
			</span>
			{message && (
				<p class="message" id={`${id}-message`}>
					<Words text={message} />
				</p>
			)}
		</div>
	);
}

/**
 * The `ref` of an input for this text. Another text replaces that of the input, also while it has
 * the focus: by a slider or "back". Nothing else does, so a run that ends leaves alone what the
 * user is writing.
 */
export function useInputText(text: string) {
	const input = useRef<HTMLInputElement>(null);
	useLayoutEffect(() => {
		if (input.current && input.current.value !== text) {
			input.current.value = text;
		}
	}, [text]);
	return input;
}

/** The messages of the engine about a key. The fields are hidden while the text is no TOML. */
export function faultsOf(key: Key): string {
	if (!scenario.value) {
		return "";
	}
	return faults.value
		.filter((one) => one.key?.join(".") === key.join("."))
		.map(({ fault }) => [fault.message, fault.help].filter(Boolean).join(". "))
		.join(" ");
}

/** A value as the field shows it: a list has commas. */
function textOf(value: TomlValue | undefined): string {
	return Array.isArray(value)
		? value.map(String).join(", ")
		: value === undefined
			? ""
			: `${value}`;
}

function valueFrom(text: string, unit: string): TomlValue | undefined {
	const parts = text
		.split(",")
		.map((part) => part.trim())
		.filter(Boolean)
		.map((part) => withUnit(part, unit));
	return parts.length > 1 ? parts : parts[0];
}

function withField(scenarioToml: string, field: Field, text: string): string {
	const value = valueFrom(text, field.unit);
	const keys = commonKeys(scenario.peek() ?? {}, field.key);
	let result = keys.reduce((one, key) => edited(one, key, value), scenarioToml);
	for (const need of field.needs ?? []) {
		const has = valueAt(scenario.peek() ?? {}, need.key) !== undefined;
		if (has !== (value !== undefined)) {
			result = edited(result, need.key, value === undefined ? undefined : need.value);
		}
	}
	return result;
}
