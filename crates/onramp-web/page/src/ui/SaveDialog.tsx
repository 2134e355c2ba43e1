import { useState } from "preact/hooks";
import { Refusal } from "../engine/client";
import type { ExportFormat } from "../engine/types";
import { nameOf } from "../state/names";
import { exportFile } from "../state/runner";
import { facts, run } from "../state/store";
import { fileStem } from "./CommandDialog";
import { Dialog } from "./dialogs";
import { download } from "./download";
import { picture } from "./picture";
import { Words } from "./Words";

const OF_ALL: [ExportFormat, string, string][] = [
	["json", "JSON", "the records of all cases, as the command line prints them"],
	["csv", "CSV", "the same as a table"],
];
const PCAPNG =
	"all packets, at both hosts and both ends of each link. Wireshark calls the copies " +
	"retransmissions: make a file of one interface first, `tshark -r FILE -Y " +
	"'frame.interface_name == \"sender\"' -w sender.pcapng`";
const OF_CASE: [ExportFormat, string, string][] = [
	["svg", "SVG", "the figures of a report"],
	["pcapng", "pcapng", PCAPNG],
	["qlog", "qlog", "events of the connection, for qvis"],
	["acks", "CSV of ACKs", "a line for each ACK"],
];

export function SaveDialog() {
	const [message, setMessage] = useState("");
	const [chosen, setChosen] = useState(0);
	const result = run.value;
	const one = result?.cases[chosen] ?? result?.cases[0];
	const save = async (what: string, make: () => Promise<void>) => {
		setMessage(`${what} is being written …`);
		try {
			await make();
			setMessage(`${what} saved`);
		} catch (error) {
			const isKnown = error instanceof Refusal || error instanceof Error;
			setMessage(isKnown ? error.message : String(error));
		}
	};
	const saveFormat = (format: ExportFormat, what: string) =>
		save(what, async () => {
			const file = await exportFile(format, one?.number ?? 1);
			download(file.name, file.type, file.bytes);
		});
	const savePicture = () =>
		save("PNG", async () => {
			if (result) {
				const bytes = await picture(result, facts.value?.version ?? "");
				download(`${fileStem(result.name)}.png`, "image/png", bytes);
			}
		});
	const entry = ([format, label, what]: [ExportFormat, string, string]) => (
		<li key={format}>
			<button type="button" onClick={() => void saveFormat(format, label)}>
				{label}
			</button>
			<span>
				<Words text={what} />
			</span>
		</li>
	);
	return (
		<Dialog title="Save">
			{result && one ? (
				<>
					<ul class="saves">
						<li>
							<button type="button" onClick={() => void savePicture()}>
								PNG
							</button>
							<span>a figure: the results, the picture and the plots at this moment</span>
						</li>
						{OF_ALL.map(entry)}
					</ul>
					<label class="case">
						Case
						<select
							value={String(chosen)}
							onChange={(event) => setChosen(Number(event.currentTarget.value))}
						>
							{result.cases.map((other, at) => (
								<option key={other.number} value={String(at)}>
									{nameOf(result, other)}
								</option>
							))}
						</select>
					</label>
					<ul class="saves">{OF_CASE.map(entry)}</ul>
				</>
			) : (
				<p>There is no result yet.</p>
			)}
			<p role="status">{message}</p>
		</Dialog>
	);
}
