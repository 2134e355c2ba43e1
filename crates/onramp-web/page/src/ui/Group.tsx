import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isNarrow } from "./room";

/** On a phone the groups are closed at first, so that all of them are near. */
const hasRoom = !isNarrow.peek();

interface GroupProps {
	title: string;
	/** Beside the title, for a closed group. */
	count?: string;
	/** Not set: as there is room. When it becomes true the group opens; only the user closes it. */
	isOpen?: boolean;
	class?: string;
	children: ComponentChildren;
}

/** A group of controls, which opens and closes. */
export function Group({ title, count, isOpen = hasRoom, class: own, children }: GroupProps) {
	const [isShown, setIsShown] = useState(isOpen);
	useEffect(() => setIsShown((was) => was || isOpen), [isOpen]);
	return (
		<details
			class={own ? `group ${own}` : "group"}
			open={isShown}
			onToggle={(event) => setIsShown(event.currentTarget.open)}
		>
			<summary>
				<h2>{title}</h2>
				{count && <span class="count">{count}</span>}
			</summary>
			{children}
		</details>
	);
}
