/**
 * The `[[transfer]]` tables. A control of a transfer stands for all of them that have the same
 * value, and the start-ups of all tables are one list: those that run against each other.
 */

import { halfOf } from "./amount";
import {
	edited,
	isSame,
	type Key,
	parsed,
	type TomlTable,
	type TomlValue,
	tablesAt,
	valueAt,
	withoutTable,
	withTable,
} from "./scenario";

/** The start-up that needs `qos_rate`; the others refuse it, so it has a table of its own. */
const WITH_RATE = "qos";
const ITS_KEYS = ["qos_rate", "qos_burst"];
/** Without a rate of the path to take half of. */
const SOME_RATE = "1 Mbit/s";

/** One start-up of the scenario. */
export interface Choice {
	name: string;
	/** Index of its `[[transfer]]`. */
	transfer: number;
	/** Index in that table's list. */
	place: number;
}

/** All start-ups, in the order of the cases. */
export function choicesOf(table: TomlTable): Choice[] {
	return tablesAt(table, "transfer").flatMap((one, transfer) =>
		startupsOf(one).map((name, place) => ({ name, transfer, place })),
	);
}

/** The transfers whose start-up is told a rate. */
export function transfersWithRate(table: TomlTable): number[] {
	return choicesOf(table)
		.filter(({ name }) => name === WITH_RATE)
		.map(({ transfer }) => transfer);
}

/** The keys that an edit of the first transfer's key changes: also those of transfers that have the
 * same value, so that a comparison stays one. */
export function commonKeys(table: TomlTable, key: Key): Key[] {
	const [name, index, ...rest] = key;
	if (name !== "transfer" || index !== 0) {
		return [key];
	}
	const value = valueAt(table, key);
	const keys = tablesAt(table, "transfer").flatMap((one, at): Key[] =>
		isSame(valueAt(one, rest), value) ? [["transfer", at, ...rest]] : [],
	);
	return keys.length > 0 ? keys : [key];
}

/** The text with another start-up in the place of one. */
export function withStartup(text: string, index: number, name: string): string {
	const table = parsed(text);
	const choice = choicesOf(table)[index];
	if (!choice) {
		return text;
	}
	const { transfer, place } = choice;
	const names = startupsOf(tablesAt(table, "transfer")[transfer] ?? {});
	if (names.length > 1) {
		return name === WITH_RATE
			? withOwnTable(withNames(text, transfer, names.toSpliced(place, 1)), table, transfer, name)
			: withNames(text, transfer, names.with(place, name));
	}
	const result = withNames(text, transfer, [name]);
	if (name !== WITH_RATE) {
		return ITS_KEYS.reduce(
			(one, key) => edited(one, ["transfer", transfer, key], undefined),
			result,
		);
	}
	const rate = ["transfer", transfer, "qos_rate"];
	return valueAt(table, rate) === undefined ? edited(result, rate, defaultRate(table)) : result;
}

/** The text with one more start-up. */
export function withMoreStartups(text: string, name: string): string {
	const table = parsed(text);
	const last = choicesOf(table).findLast((one) => one.name !== WITH_RATE);
	if (!last || name === WITH_RATE) {
		return withOwnTable(text, table, last?.transfer ?? 0, name);
	}
	const names = startupsOf(tablesAt(table, "transfer")[last.transfer] ?? {});
	return withNames(text, last.transfer, [...names, name]);
}

/** The text without one of its start-ups. */
export function withoutStartup(text: string, index: number): string {
	const table = parsed(text);
	const choice = choicesOf(table)[index];
	if (!choice) {
		return text;
	}
	const names = startupsOf(tablesAt(table, "transfer")[choice.transfer] ?? {});
	return names.length > 1
		? withNames(text, choice.transfer, names.toSpliced(choice.place, 1))
		: withoutTable(text, "transfer", choice.transfer);
}

function withNames(text: string, transfer: number, names: string[]): string {
	const value: TomlValue | undefined = names.length === 1 ? names[0] : names;
	return edited(text, ["transfer", transfer, "startup"], value);
}

/** A copy of a transfer with this start-up alone. */
function withOwnTable(text: string, table: TomlTable, transfer: number, name: string): string {
	const like = tablesAt(table, "transfer")[transfer] ?? {};
	const rest = Object.entries(like).filter(([key]) => !ITS_KEYS.includes(key));
	const rate = name === WITH_RATE ? { qos_rate: defaultRate(table) } : {};
	return withTable(text, "transfer", { ...Object.fromEntries(rest), startup: name, ...rate });
}

/** Half of the path's rate: a guarantee that the path can keep. */
function defaultRate(table: TomlTable): string {
	const rate = valueAt(table, ["path", "rate"]);
	return halfOf(String(Array.isArray(rate) ? rate[0] : rate)) ?? SOME_RATE;
}

function startupsOf({ startup = "standard" }: TomlTable): string[] {
	return Array.isArray(startup) ? startup.map(String) : [String(startup)];
}
