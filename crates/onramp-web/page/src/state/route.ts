/** What the page shows: the playground, the game (`#game/…`), or one figure (`#embed/…`). */

import { signal } from "@preact/signals";

export type Route =
	| { kind: "playground" }
	/** `code`: a path, and perhaps a score; empty: any path. */
	| { kind: "game"; code: string }
	/** `fragment`: the scenario, as a link of the playground has it behind `#`. */
	| { kind: "embed"; fragment: string };

export const route = signal<Route>({ kind: "playground" });

/** What a fragment asks for, with or without `#`. */
export function routeOf(fragment: string): Route {
	const [, kind, rest = ""] = /^#?(game|embed)(?:\/(.*))?$/s.exec(fragment) ?? [];
	switch (kind) {
		case "game":
			return { kind, code: rest };
		case "embed":
			return { kind, fragment: rest };
		default:
			return { kind: "playground" };
	}
}

/** Leads to another part of the page. */
export function go(fragment: string): void {
	location.hash = fragment;
}
