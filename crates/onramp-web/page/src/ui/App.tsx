import { isBusy, lessonIndex, run } from "../state/store";
import { CommandDialog } from "./CommandDialog";
import { Controls } from "./Controls";
import { dialog } from "./dialogs";
import { Header } from "./Header";
import { KeysDialog } from "./KeysDialog";
import { useKeys } from "./keys";
import { LessonPanel } from "./LessonPanel";
import { Plots } from "./Plots";
import { Predict } from "./Predict";
import { Presets } from "./Presets";
import { isNarrow } from "./room";
import { SaveDialog } from "./SaveDialog";
import { ScenarioEditor } from "./ScenarioEditor";
import { ShareDialog } from "./ShareDialog";
import { Stage } from "./Stage";
import { StatusLine } from "./StatusLine";
import { Summary } from "./Summary";
import { Transport } from "./Transport";

/** Behind the picture where there is no room beside it. */
function Setting() {
	return (
		<>
			<Controls />
			<ScenarioEditor />
		</>
	);
}

export function App() {
	useKeys();
	return (
		<>
			<a class="skip" href="#picture">
				Skip to the picture
			</a>
			<Header />
			<div class="layout">
				<aside class="side" aria-label={isNarrow.value ? "Paths" : "Setting"}>
					{lessonIndex.value !== undefined && <LessonPanel />}
					<Presets />
					{!isNarrow.value && <Setting />}
				</aside>
				<main class="main" id="picture" tabIndex={-1} aria-busy={isBusy.value}>
					<StatusLine />
					<Summary />
					{run.value && (
						<>
							<Stage run={run.value} />
							<Predict />
							<Transport />
							<Plots run={run.value} />
						</>
					)}
				</main>
				{isNarrow.value && (
					<aside class="side" aria-label="Setting">
						<Setting />
					</aside>
				)}
			</div>
			{dialog.value === "command" && <CommandDialog />}
			{dialog.value === "save" && <SaveDialog />}
			{dialog.value === "share" && <ShareDialog />}
			{dialog.value === "keys" && <KeysDialog />}
		</>
	);
}
