/** Links to a scenario, and the line that shows it in another page. */

import { LESSONS } from "../lessons";
import { PRESETS } from "../presets";
import { fragmentOf } from "./link";

/** A scenario that the page has, and its own page, which `build.mjs` writes. */
export interface Shipped {
	kind: "preset" | "lesson";
	id: string;
	title: string;
	/** What it shows, in sentences. */
	description: string;
	toml: string;
	/** The file of its page, beside index.html. */
	file: string;
	/** The file of its preview picture. */
	preview: string;
}

export const SHIPPED: Shipped[] = [
	...PRESETS.map(({ id, title, sentence, toml }) =>
		shipped({ kind: "preset", id, title, description: sentence, toml }),
	),
	...LESSONS.map(({ id, title, text, toml }) =>
		shipped({ kind: "lesson", id, title, description: text, toml }),
	),
];

function shipped(one: Omit<Shipped, "file" | "preview">): Shipped {
	const name = `${one.kind}-${one.id}`;
	return { ...one, file: `${name}.html`, preview: `${name}.png` };
}

/** The scenario that the page has with this text; `undefined`: it was changed. */
export function shippedAs(text: string): Shipped | undefined {
	return SHIPPED.find(({ toml }) => toml === text);
}

/** The fragment of a scenario, with `#`: its name, or all of it. Throws a `LinkError`. */
export async function shortFragmentOf(text: string): Promise<string> {
	const one = shippedAs(text);
	return one ? `#${one.kind}/${one.id}` : fragmentOf(text);
}

/** The link to a scenario: that of its own page, if it has one. Throws a `LinkError`. */
export async function shareLink(text: string): Promise<string> {
	const one = shippedAs(text);
	return one ? fileBeside(one.file) : fileBeside("index.html") + (await fragmentOf(text));
}

/** A line of HTML that shows one figure of the scenario. Throws a `LinkError`. */
export async function embedLine(text: string, title: string): Promise<string> {
	const fragment = (await shortFragmentOf(text)).slice(1);
	const source = `${fileBeside("index.html")}#embed/${fragment}`;
	const attributes = [
		`src="${quoted(source)}"`,
		`title="${quoted(title)}"`,
		'width="720" height="640" style="border:0;max-width:100%" loading="lazy"',
	];
	return `<iframe ${attributes.join(" ")}></iframe>`;
}

function quoted(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** The address of a file of the page. */
function fileBeside(name: string): string {
	return new URL(name, location.href).href;
}
