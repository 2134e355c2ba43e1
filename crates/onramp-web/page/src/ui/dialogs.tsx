import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The dialog that is open. */
export const dialog = signal<"command" | "save" | "share" | "keys" | undefined>(undefined);

/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
export function Dialog(props: { title: string; children: ComponentChildren }) {
	const element = useRef<HTMLDialogElement>(null);
	useEffect(() => element.current?.showModal(), []);
	const close = () => {
		dialog.value = undefined;
	};
	return (
		<dialog ref={element} onClose={close} aria-labelledby="dialog-title">
			<header class="dialog-head">
				<h2 id="dialog-title">{props.title}</h2>
				<button type="button" onClick={() => element.current?.close()}>
					Close
				</button>
			</header>
			{props.children}
		</dialog>
	);
}
