import { Dialog } from "./dialogs";
import { KEYS } from "./keys";

export function KeysDialog() {
	return (
		<Dialog title="Keys">
			<dl class="keys-list">
				{KEYS.map((one) => (
					<div key={one.key}>
						<dt>
							<kbd>{one.shown}</kbd>
						</dt>
						<dd>{one.label}</dd>
					</div>
				))}
			</dl>
			<p class="note">
				They work where no field has the focus. In a plot, a click sets the clock, a drag shows a
				part of the time, and a double click shows all of it.
			</p>
		</Dialog>
	);
}
