import { useEffect } from "preact/hooks";
import { zoomBy } from "../plots/view";
import { seek, step, togglePlaying } from "../state/clock";
import { span } from "../state/store";
import { dialog } from "./dialogs";

/** Keys and what they do, for the page and for the dialog that lists them. */
export const KEYS: { key: string; shown: string; label: string; run(): void }[] = [
	{ key: " ", shown: "Space", label: "play or pause", run: togglePlaying },
	{ key: "ArrowLeft", shown: "←", label: "back by a round trip", run: () => step(-1) },
	{ key: "ArrowRight", shown: "→", label: "on by a round trip", run: () => step(1) },
	{ key: "Home", shown: "Home", label: "to the beginning", run: () => seek(span.peek().fromS) },
	{ key: "End", shown: "End", label: "to the end", run: () => seek(span.peek().toS) },
	{ key: "+", shown: "+", label: "plots: more detail", run: () => zoomBy(2) },
	{ key: "-", shown: "−", label: "plots: less detail", run: () => zoomBy(0.5) },
	{
		key: "?",
		shown: "?",
		label: "this list",
		run: () => {
			dialog.value = "keys";
		},
	},
];

/** Elements that have a use for keys of their own. */
const OWN_KEYS = "input, select, textarea, button, summary, a, dialog";

export function useKeys(): void {
	useEffect(() => {
		const listen = (event: KeyboardEvent) => {
			const isTaken = event.target instanceof Element && event.target.closest(OWN_KEYS) !== null;
			const isButton =
				event.target instanceof Element && event.target.matches("button, summary, a");
			// Buttons use the space bar alone.
			if ((isTaken && !(isButton && event.key !== " ")) || event.ctrlKey || event.metaKey) {
				return;
			}
			const found = KEYS.find((one) => one.key === event.key);
			if (found && !event.altKey && dialog.peek() === undefined) {
				event.preventDefault();
				found.run();
			}
		};
		addEventListener("keydown", listen);
		return () => removeEventListener("keydown", listen);
	}, []);
}
