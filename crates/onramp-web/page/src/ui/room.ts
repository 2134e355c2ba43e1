/** Whether the window has room for the controls beside the picture, as in narrow.css. */

import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 860px)");

export const isNarrow = signal(query.matches);

query.addEventListener("change", () => {
	isNarrow.value = query.matches;
});
