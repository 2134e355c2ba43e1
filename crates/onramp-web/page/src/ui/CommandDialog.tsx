import { useState } from "preact/hooks";
import { scenario, scenarioText } from "../state/store";
import { copyText } from "./copy";
import { Dialog } from "./dialogs";
import { download } from "./download";

/** The same run on the command line. */
export function CommandDialog() {
	const [message, setMessage] = useState("");
	const file = `${fileStem(scenario.value?.name)}.toml`;
	const text = scenarioText.value;
	const copy = async (what: string, name: string) => {
		try {
			await copyText(what);
			setMessage(`${name} copied`);
		} catch (error) {
			setMessage(error instanceof Error ? error.message : String(error));
		}
	};
	const commands = [
		[`onramp sim ${file} --out onramp-out`, "in the simulator: the same numbers, and a report"],
		[`onramp sim ${file} --json`, "the records, byte for byte those of this page"],
		[`sudo onramp lab ${file} --out onramp-out`, "on this machine's kernel"],
	];
	return (
		<Dialog title="Open in the command line">
			<p>
				Save the scenario as <code>{file}</code>, then run one of these:
			</p>
			<ul class="commands">
				{commands.map(([command = "", what]) => (
					<li key={command}>
						<code>{command}</code>
						<button type="button" onClick={() => void copy(command, "Command")}>
							Copy
						</button>
						<span class="faint">{what}</span>
					</li>
				))}
			</ul>
			<div class="row">
				<button
					type="button"
					onClick={() => download(file, "application/toml", new TextEncoder().encode(text))}
				>
					Save {file}
				</button>
				<button type="button" onClick={() => void copy(text, "Scenario")}>
					Copy the scenario
				</button>
				<span role="status">{message}</span>
			</div>
			<textarea
				class="toml"
				aria-label="The scenario's text"
				readOnly
				rows={14}
				wrap="off"
				value={text}
			/>
		</Dialog>
	);
}

/** A name for files: as scenarios have it, or a plain one. */
export function fileStem(name: unknown): string {
	return typeof name === "string" && /^[a-z0-9][a-z0-9-]{0,63}$/.test(name) ? name : "scenario";
}
