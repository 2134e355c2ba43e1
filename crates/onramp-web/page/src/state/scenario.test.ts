import assert from "node:assert/strict";
import { test } from "node:test";
import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { PATH_FIELDS, RADIO_FIELDS, TRANSFER_FIELDS } from "./fields";
import { edited, keyAtLine, parsed, valueAt, withoutTable, withTable } from "./scenario";

const TEXT = `# A path of our own.
name = "geo"

[path]
rate = "50 Mbit/s" # of IP packets
rtt = "600 ms"

[[transfer]]
size = "1 MB"
startup = ["none", "onramp"]

[[transfer]]
size = "5 MB"
odd_key = { a = 1, b = [true, 2.5] }
`;

test("an edit changes one line and leaves comments and unknown keys", () => {
	const text = edited(TEXT, ["path", "rate"], "20 Mbit/s");
	assert.equal(text, TEXT.replace("50 Mbit/s", "20 Mbit/s"));
});

test("a new key stands behind the others of its table, a new table at the end", () => {
	const queue = edited(TEXT, ["path", "queue"], "1 bdp");
	assert.ok(queue.includes('rtt = "600 ms"\nqueue = "1 bdp"\n'), queue);
	const jitter = edited(TEXT, ["path", "reverse", "jitter"], "1 ms");
	assert.ok(jitter.endsWith('[path.reverse]\njitter = "1 ms"\n'), jitter);
	assert.ok(edited(TEXT, ["seed"], 7).includes('name = "geo"\nseed = 7\n'));
});

test("a key is removed with its line", () => {
	assert.equal(
		edited(TEXT, ["transfer", 0, "startup"], undefined),
		TEXT.replace('startup = ["none", "onramp"]\n', ""),
	);
	assert.equal(edited(TEXT, ["path", "loss"], undefined), TEXT);
	assert.equal(edited(TEXT, ["receiver", "buffer"], undefined), TEXT);
});

test("each of several tables of one name is edited by its index", () => {
	const text = edited(TEXT, ["transfer", 1, "size"], "9 MB");
	assert.equal(text, TEXT.replace("5 MB", "9 MB"));
});

test("values that the line editor does not understand are written anew", () => {
	const inline = 'name = "x"\npath = { rate = "1 Mbit/s", rtt = "1 ms" }\n';
	const text = edited(inline, ["path", "rate"], "2 Mbit/s");
	assert.equal(
		JSON.stringify(parsed(text)),
		'{"name":"x","path":{"rate":"2 Mbit/s","rtt":"1 ms"}}',
	);
	const spread = 'name = "x"\n[[transfer]]\nstartup = [\n"none",\n"onramp" ]\n';
	const other = edited(spread, ["transfer", 0, "startup"], ["onramp"]);
	assert.deepEqual(valueAt(parsed(other), ["transfer", 0, "startup"]), ["onramp"]);
});

test("a number sign in a value is no comment", () => {
	const text = edited('name = "a#b"\n', ["name"], "c");
	assert.equal(text, 'name = "c"\n');
});

test("a seed of 64 bits stays exact", () => {
	const text = edited("seed = 9223372036854775807\n", ["name"], "x");
	assert.ok(text.includes("9223372036854775807"), text);
});

test("a table is added and removed, and nothing else changes", () => {
	const more = withTable(TEXT, "traffic", { avoidance: "cubic", lead: "5 s" });
	assert.deepEqual(valueAt(parsed(more), ["traffic", 0, "lead"]), "5 s");
	const two = withTable(more, "traffic", { kind: "constant", rate: "1 Mbit/s" });
	const one = withoutTable(two, "traffic", 0);
	assert.equal(valueAt(parsed(one), ["traffic", 0, "kind"]), "constant");
	assert.equal(withoutTable(one, "traffic", 0), TEXT);
	assert.ok(two.startsWith(TEXT.trimEnd()));
});

test("a line tells its key", () => {
	assert.deepEqual(keyAtLine(TEXT, 5), ["path", "rate"]);
	assert.deepEqual(keyAtLine(TEXT, 13), ["transfer", 1, "size"]);
	assert.equal(keyAtLine(TEXT, 1), undefined);
	assert.equal(keyAtLine(TEXT, 99), undefined);
	assert.deepEqual(keyAtLine("[path\n[[link]]\n[link.reverse]\nrate = broken", 4), [
		"link",
		0,
		"reverse",
		"rate",
	]);
});

test("every step of every control changes that value alone, in all presets and lessons", () => {
	const fields = [...PATH_FIELDS, ...RADIO_FIELDS, ...TRANSFER_FIELDS];
	for (const { toml } of [...PRESETS, ...LESSONS]) {
		for (const field of fields) {
			const before = valueAt(parsed(toml), field.key);
			for (const step of field.steps) {
				const text = edited(toml, field.key, step || undefined);
				assert.equal(valueAt(parsed(text), field.key), step || undefined);
				// An edit back gives the same scenario, but for a table that stays empty.
				const back = edited(text, field.key, before);
				assert.equal(withoutEmpty(back), withoutEmpty(toml), `${field.label} ${step}`);
			}
		}
	}
});

/** The values of a scenario in the order of their names, without empty tables. */
function withoutEmpty(text: string): string {
	const flat: string[] = [];
	const walk = (value: unknown, path: string) => {
		if (typeof value === "object" && value !== null) {
			for (const [name, inner] of Object.entries(value)) {
				walk(inner, `${path}.${name}`);
			}
		} else {
			flat.push(`${path} = ${String(value)}`);
		}
	};
	walk(parsed(text), "");
	return flat.sort().join("\n");
}

test("comments of all presets survive an edit", () => {
	const comments = (text: string) => text.split("\n").filter((line) => line.startsWith("#"));
	for (const { toml } of PRESETS) {
		const text = edited(edited(toml, ["path", "rtt"], "77 ms"), ["seed"], 9);
		assert.deepEqual(comments(text), comments(toml));
	}
});
