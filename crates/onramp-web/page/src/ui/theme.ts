/** Light and dark: as the system has it, unless the user chooses. */

import { effect, signal } from "@preact/signals";
import { updatePalette } from "../draw/palette";

const STORED = "onramp-theme";

type Theme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
const chosen = signal<Theme | undefined>(stored());
const systemTheme = signal<Theme>(system.matches ? "dark" : "light");

export function theme(): Theme {
	return chosen.value ?? systemTheme.value;
}

export function toggleTheme(): void {
	chosen.value = theme() === "dark" ? "light" : "dark";
	try {
		localStorage.setItem(STORED, chosen.value);
	} catch {
		// A browser may refuse to store what a file:// page asks for.
	}
}

export function startTheme(): void {
	system.addEventListener("change", () => {
		systemTheme.value = system.matches ? "dark" : "light";
	});
	effect(() => {
		document.documentElement.dataset.theme = theme();
		updatePalette();
	});
}

function stored(): Theme | undefined {
	try {
		const text = localStorage.getItem(STORED);
		return text === "dark" || text === "light" ? text : undefined;
	} catch {
		return undefined;
	}
}
