import { isBusy, lessonIndex, run } from "../state/store";
import { CommandDialog } from "./CommandDialog";
import { Controls } from "./Controls";
import { dialog } from "./dialogs";
import { Header } from "./Header";
import { KeysDialog } from "./KeysDialog";
import { useKeys } from "./keys";
import { LessonPanel } from "./LessonPanel";
import { Plots } from "./Plots";
import { Presets } from "./Presets";
import { SaveDialog } from "./SaveDialog";
import { ScenarioEditor } from "./ScenarioEditor";
import { Stage } from "./Stage";
import { StatusLine } from "./StatusLine";
import { Summary } from "./Summary";
import { Transport } from "./Transport";

export function App() {
	useKeys();
	return (
		<>
			<a class="skip" href="#picture">
				Skip to the picture
			</a>
			<Header />
			<div class="layout">
				<aside class="side" aria-label="Setting">
					<Presets />
					<Controls />
					<ScenarioEditor />
				</aside>
				<main class="main" id="picture" tabIndex={-1} aria-busy={isBusy.value}>
					{lessonIndex.value !== undefined && <LessonPanel />}
					<StatusLine />
					<Summary />
					{run.value && (
						<>
							<Stage run={run.value} />
							<Transport />
							<Plots run={run.value} />
						</>
					)}
				</main>
			</div>
			{dialog.value === "command" && <CommandDialog />}
			{dialog.value === "save" && <SaveDialog />}
			{dialog.value === "keys" && <KeysDialog />}
		</>
	);
}
