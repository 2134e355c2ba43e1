import { useEffect, useState } from "preact/hooks";
import { embedLine, shareLink, shippedAs } from "../state/share";
import { scenarioText } from "../state/store";
import { copyText } from "./copy";
import { Dialog } from "./dialogs";

/** The link of this scenario, and the line that shows its figure in another page. */
export function ShareDialog() {
	const text = scenarioText.value;
	const [lines, setLines] = useState({ link: "", embed: "" });
	const [message, setMessage] = useState("");
	useEffect(() => {
		const make = async () => {
			const title = shippedAs(text)?.title ?? "a TCP start-up, simulated";
			const [link, embed] = [await shareLink(text), await embedLine(text, `Onramp: ${title}`)];
			setLines({ link, embed });
		};
		make().catch((error) => setMessage(error.message));
	}, [text]);
	const copy = async (what: string, name: string) => {
		try {
			await copyText(what);
			setMessage(`${name} copied`);
		} catch (error) {
			setMessage(error instanceof Error ? error.message : String(error));
		}
	};
	const rows = [
		{ name: "Link", text: lines.link, what: "whoever opens it sees the same run" },
		{ name: "Embed", text: lines.embed, what: "one live figure in a page of yours, as HTML" },
	];
	return (
		<Dialog title="Share">
			<ul class="commands">
				{rows.map((row) => (
					<li key={row.name}>
						<code class="one-line" title={row.text}>
							{row.text}
						</code>
						<button
							type="button"
							disabled={row.text === ""}
							onClick={() => void copy(row.text, row.name)}
						>
							Copy {row.name.toLowerCase()}
						</button>
						<span class="faint">{row.what}</span>
					</li>
				))}
			</ul>
			<p role="status">{message}</p>
		</Dialog>
	);
}
