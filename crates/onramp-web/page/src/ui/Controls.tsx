import { useEffect, useRef, useState } from "preact/hooks";
import { PATH_FIELDS, RADIO_FIELDS, TRANSFER_FIELDS } from "../state/fields";
import { type TomlTable, valueAt } from "../state/scenario";
import { again, editKey, scenario } from "../state/store";
import { commonKeys } from "../state/transfers";
import { faultsOf, useInputText, ValueField } from "./Field";
import { Group } from "./Group";
import { Startups } from "./Startups";
import { Traffic } from "./Traffic";
import { Words } from "./Words";

export function Controls() {
	const last = useRef<TomlTable>({});
	const isValid = scenario.value !== undefined;
	const table = scenario.value ?? last.current;
	last.current = table;
	const isNetwork = table.path === undefined;
	const transfers = Array.isArray(table.transfer) ? table.transfer.length : 0;
	const inUse = RADIO_FIELDS.filter((field) => valueAt(table, field.key) !== undefined).length;
	const ofAll = ["size", "avoidance"].every(
		(name) => commonKeys(table, ["transfer", 0, name]).length === transfers,
	);
	// While the text is no TOML the groups are hidden and keep what the user opened.
	return (
		<>
			{!isValid && <p class="note">The controls return when the scenario's text is valid TOML.</p>}
			<div hidden={!isValid}>
				<Group title="Start-ups">
					<Startups />
					{transfers > 1 && !ofAll && (
						<p class="note">
							The scenario has {transfers} transfers that differ. The controls are those of the
							first, and of those with its values.
						</p>
					)}
				</Group>
				<Group title="Path">
					{isNetwork ? (
						<p class="note">This path is a network of links: edit it in the scenario's text.</p>
					) : (
						PATH_FIELDS.map((field) => <ValueField key={field.label} field={field} />)
					)}
				</Group>
				<Group title="Transfer">
					{TRANSFER_FIELDS.map((field) => (
						<ValueField key={field.label} field={field} />
					))}
					<Seed />
				</Group>
				{!isNetwork && (
					<Group
						title="Jitter, aggregation, policer"
						count={inUse > 0 ? `${inUse} set` : ""}
						isOpen={false}
					>
						{RADIO_FIELDS.map((field) => (
							<ValueField key={field.label} field={field} />
						))}
					</Group>
				)}
				<Traffic />
			</div>
		</>
	);
}

/** A seed has 63 bits. */
const LAST_SEED = 2n ** 63n - 1n;

function Seed() {
	const seed = scenario.value?.seed;
	const [wrong, setWrong] = useState("");
	useEffect(() => setWrong(""), [seed]);
	const text = wrong || (seed === undefined ? "" : String(seed));
	const input = useInputText(text);
	const message = wrong
		? `\`${wrong}\` is no seed; expected a whole number from 0 to ${LAST_SEED}`
		: faultsOf(["seed"]);
	return (
		<div class={message ? "field seed wrong" : "field seed"}>
			<label for="seed" title="The seed of all random numbers of the run">
				Seed
			</label>
			<input
				ref={input}
				id="seed"
				type="text"
				inputMode="numeric"
				autocomplete="off"
				defaultValue={text}
				placeholder="1"
				aria-invalid={message !== ""}
				aria-describedby={message ? "seed-message" : undefined}
				onChange={(event) => {
					const text = event.currentTarget.value.trim();
					const isNumber = /^-?\d+$/.test(text);
					const isRight =
						text === "" || (isNumber && BigInt(text) >= 0n && BigInt(text) <= LAST_SEED);
					setWrong(isRight ? "" : text);
					if (isRight) {
						editKey(["seed"], text === "" ? undefined : integer(text));
					}
				}}
			/>
			<button type="button" onClick={again}>
				Again
			</button>
			{message && (
				<p class="message" id="seed-message">
					<Words text={message} />
				</p>
			)}
		</div>
	);
}

/** More than a number of JavaScript holds stays exact. */
function integer(text: string): number | bigint {
	return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}
