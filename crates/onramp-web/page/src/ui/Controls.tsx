import { PATH_FIELDS, RADIO_FIELDS, TRANSFER_FIELDS } from "../state/fields";
import { valueAt } from "../state/scenario";
import { again, editKey, scenario } from "../state/store";
import { ValueField } from "./Field";
import { Group } from "./Group";
import { Startups } from "./Startups";
import { Traffic } from "./Traffic";

export function Controls() {
	const table = scenario.value;
	if (!table) {
		return <p class="note">The controls return when the scenario's text is valid TOML.</p>;
	}
	const isNetwork = table.path === undefined;
	const transfers = Array.isArray(table.transfer) ? table.transfer.length : 0;
	const inUse = RADIO_FIELDS.filter((field) => valueAt(table, field.key) !== undefined).length;
	return (
		<>
			<Group title="Start-ups">
				<Startups />
				{transfers > 1 && (
					<p class="note">
						The scenario has {transfers} transfers. The controls are those of the first.
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
		</>
	);
}

function Seed() {
	const seed = scenario.value?.seed;
	return (
		<div class="field seed">
			<label for="seed" title="The seed of all random numbers of the run">
				Seed
			</label>
			<input
				id="seed"
				type="text"
				inputMode="numeric"
				autocomplete="off"
				value={seed === undefined ? "1" : String(seed)}
				onChange={(event) => {
					const text = event.currentTarget.value.trim();
					const isNumber = /^\d{1,19}$/.test(text);
					editKey(["seed"], isNumber ? integer(text) : text);
				}}
			/>
			<button type="button" onClick={again}>
				Again
			</button>
		</div>
	);
}

/** A seed has 63 bits, more than a number of JavaScript holds. */
function integer(text: string): number | bigint {
	return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}
