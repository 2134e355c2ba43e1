/**
 * The scenario is a TOML text, and the controls edit that text. An edit changes as few lines as it
 * can, so that comments and the order of the keys stay.
 */

import { parse, stringify, type TomlTable, type TomlValue } from "smol-toml";

/** The place of a value: names of tables and keys, and indices of arrays of tables. */
export type Key = readonly (string | number)[];

export type { TomlTable, TomlValue };

/** Integers beyond 2^53, as a seed of 64 bits, stay exact. Throws a `TomlError`. */
export function parsed(text: string): TomlTable {
	return parse(text, { integersAsBigInt: "asNeeded" });
}

/** `undefined`: there is no such value. */
export function valueAt(table: TomlTable, key: Key): TomlValue | undefined {
	let value: unknown = table;
	for (const step of key) {
		if (typeof value !== "object" || value === null) {
			return undefined;
		}
		value = (value as Record<string | number, unknown>)[step];
	}
	return value as TomlValue | undefined;
}

/** The tables of an array of tables; empty where there is none. */
export function tablesAt(table: TomlTable, name: string): TomlTable[] {
	const value = table[name];
	return Array.isArray(value) ? (value as TomlTable[]) : [];
}

/** The text with another value; `undefined` removes the key. `text` is valid TOML. */
export function edited(text: string, key: Key, value: TomlValue | undefined): string {
	const wanted = withValue(parsed(text), key, value);
	return verified(editedLines(text, key, value), wanted);
}

/** The text with one more table in an array of tables. */
export function withTable(text: string, name: string, table: TomlTable): string {
	const wanted = parsed(text);
	const tables = [...tablesAt(wanted, name), table];
	const addition = stringify({ [name]: [table] });
	return verified(`${text.trimEnd()}\n\n${addition}`, { ...wanted, [name]: tables });
}

/** The text without one of the tables of an array of tables. */
export function withoutTable(text: string, name: string, index: number): string {
	const wanted = parsed(text);
	const tables = tablesAt(wanted, name).filter((_, at) => at !== index);
	const { [name]: _, ...rest } = wanted;
	const section = [name, index];
	const lines = sections(text)
		.filter((line) => !section.every((step, at) => line.section[at] === step))
		.map((line) => line.text);
	const result = `${lines.join("\n").trimEnd()}\n`;
	return verified(result, tables.length > 0 ? { ...rest, [name]: tables } : rest);
}

/** The key on a line, from 1, of a text that need not be valid. `undefined`: there is none. */
export function keyAtLine(text: string, line: number): Key | undefined {
	const found = sections(text)[line - 1];
	return found?.name === undefined ? undefined : [...found.section, found.name];
}

/** `text` if it says what is wanted, and otherwise what is wanted in a form of its own. */
function verified(text: string, wanted: TomlTable): string {
	try {
		if (isSame(parsed(text), wanted)) {
			return text;
		}
	} catch {
		// The lines were not as `editedLines` understands them, as in a text of several lines.
	}
	return stringify(wanted);
}

function withValue(table: TomlTable, key: Key, value: TomlValue | undefined): TomlTable {
	const [step, ...rest] = key;
	if (step === undefined) {
		throw new Error("a key has at least one part");
	}
	const copy = (Array.isArray(table) ? [...table] : { ...table }) as TomlTable;
	if (rest.length > 0) {
		const inner = (copy[step] ?? (typeof rest[0] === "number" ? [] : {})) as TomlTable;
		if (value !== undefined || copy[step] !== undefined) {
			copy[step] = withValue(inner, rest, value);
		}
	} else if (value === undefined) {
		delete copy[step];
	} else {
		copy[step] = value;
	}
	return copy;
}

interface Line {
	text: string;
	/** The table that the line belongs to. */
	section: Key;
	/** The key, if the line begins a value. */
	name?: string;
	/** The line goes on with a text that began on a line before. */
	isContinued?: boolean;
}

const HEADER = /^\s*\[(\[?)\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*\]\]?\s*(?:#.*)?$/;
/** It begins or ends a text of several lines. */
const QUOTES = /"""|'''/g;
const ASSIGNMENT = /^\s*([\w-]+)\s*=/;

/** All lines, with the table and the key of each. */
function sections(text: string): Line[] {
	const counts = new Map<string, number>();
	let section: Key = [];
	let isInText = false;
	return text.split("\n").map((line) => {
		const isContinued = isInText;
		isInText = isInText !== ((line.match(QUOTES)?.length ?? 0) % 2 === 1);
		if (isContinued) {
			return { text: line, section, isContinued };
		}
		const header = HEADER.exec(line);
		if (header?.[2] !== undefined) {
			const names = header[2].split(".").map((name) => name.trim());
			if (header[1]) {
				const path = names.join(".");
				counts.set(path, (counts.get(path) ?? -1) + 1);
			}
			section = names.flatMap((name, at) => {
				const index = counts.get(names.slice(0, at + 1).join("."));
				return index === undefined ? [name] : [name, index];
			});
			return { text: line, section };
		}
		const name = ASSIGNMENT.exec(line)?.[1];
		return name === undefined ? { text: line, section } : { text: line, section, name };
	});
}

function editedLines(text: string, key: Key, value: TomlValue | undefined): string {
	const name = String(key.at(-1));
	const section = key.slice(0, -1);
	const lines = sections(text);
	const isHere = (line: Line) =>
		line.section.length === section.length &&
		line.section.every((step, at) => step === section[at]);
	const at = lines.findIndex((line) => isHere(line) && line.name === name);
	const texts = lines.map((line) => line.text);
	const assignment = value === undefined ? [] : [stringify({ [name]: value }).trimEnd()];
	if (at >= 0) {
		const comment = assignment.length > 0 ? trailingComment(texts[at] ?? "") : "";
		texts.splice(at, 1, ...assignment.map((line) => line + comment));
		return texts.join("\n");
	}
	if (value === undefined) {
		return text;
	}
	// Behind the last key of the table, or behind its header.
	const last = lines.findLastIndex(
		(line) =>
			isHere(line) && (line.name !== undefined || line.isContinued || HEADER.test(line.text)),
	);
	if (last >= 0) {
		texts.splice(last + 1, 0, ...assignment);
		return texts.join("\n");
	}
	if (section.length === 0) {
		return [...assignment, ...texts].join("\n");
	}
	return `${text.trimEnd()}\n\n[${section.join(".")}]\n${assignment.join("\n")}\n`;
}

/** The comment behind a value that has no `#` itself. */
function trailingComment(line: string): string {
	return /^[^"'#]*(?:"[^"#]*"|'[^'#]*')?[^"'#]*?(\s*#.*)$/.exec(line)?.[1] ?? "";
}

/** Equal values, tables by their keys in any order. */
export function isSame(a: unknown, b: unknown): boolean {
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
		return a === b;
	}
	const [left, right] = [Object.entries(a), b as Record<string, unknown>];
	return (
		Array.isArray(a) === Array.isArray(b) &&
		left.length === Object.keys(b).length &&
		left.every(([name, value]) => isSame(value, right[name]))
	);
}
