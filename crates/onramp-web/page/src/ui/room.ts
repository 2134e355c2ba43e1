/** What the window has room for, as in narrow.css, and what the user has opened. */

import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 860px)");

export const isNarrow = signal(query.matches);

query.addEventListener("change", () => {
	isNarrow.value = query.matches;
});

/** The controls are shown beside the picture. A narrow window has them below it. */
export const settingIsOpen = signal(false);
