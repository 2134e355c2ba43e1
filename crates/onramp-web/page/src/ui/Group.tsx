import type { ComponentChildren } from "preact";

/** On a phone the groups are closed at first, so that the picture is near. */
const hasRoom = matchMedia("(min-width: 861px)").matches;

interface GroupProps {
	title: string;
	/** Beside the title, for a closed group. */
	count?: string;
	/** Not set: as there is room. */
	isOpen?: boolean;
	children: ComponentChildren;
}

/** A group of controls, which opens and closes. */
export function Group({ title, count, isOpen = hasRoom, children }: GroupProps) {
	return (
		<details class="group" open={isOpen}>
			<summary>
				<h2>{title}</h2>
				{count && <span class="count">{count}</span>}
			</summary>
			{children}
		</details>
	);
}
