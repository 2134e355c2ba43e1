import { useEffect } from "preact/hooks";
import { isBusy, lessonIndex, run, status } from "../state/store";
import { CommandDialog } from "./CommandDialog";
import { Controls } from "./Controls";
import { dialog } from "./dialogs";
import { Footer, Header } from "./Header";
import { KeysDialog } from "./KeysDialog";
import { useKeys } from "./keys";
import { LessonPanel } from "./LessonPanel";
import { Plots } from "./Plots";
import { Predict } from "./Predict";
import { Presets } from "./Presets";
import { isNarrow, settingIsOpen } from "./room";
import { SaveDialog } from "./SaveDialog";
import { ScenarioEditor } from "./ScenarioEditor";
import { ShareDialog } from "./ShareDialog";
import { Beliefs, Stage } from "./Stage";
import { StatusLine } from "./StatusLine";
import { Headline, Results } from "./Summary";
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
	const isRefused = status.value.kind === "refused";
	useEffect(() => {
		if (isRefused) {
			// The mistakes stand at the controls.
			settingIsOpen.value = true;
		}
	}, [isRefused]);
	const isLesson = lessonIndex.value !== undefined;
	const hasSetting = !isNarrow.value && settingIsOpen.value;
	const hasSide = isLesson || hasSetting;
	return (
		<>
			<a class="skip" href="#picture">
				Skip to the picture
			</a>
			<Header />
			{!isLesson && <Presets />}
			<div class={hasSide ? "layout beside" : "layout"}>
				<aside class="side" aria-label={isLesson ? "Lesson" : "Setting"} hidden={!hasSide}>
					{isLesson && <LessonPanel />}
					{!isNarrow.value && (
						<div hidden={!hasSetting}>
							<Setting />
						</div>
					)}
				</aside>
				<main class="main" id="picture" tabIndex={-1} aria-busy={isBusy.value}>
					<StatusLine />
					<Headline />
					{run.value && (
						<>
							<Stage run={run.value} />
							<Predict />
							<Transport />
							<Results run={run.value} />
							<Beliefs run={run.value} />
							<Plots run={run.value} />
						</>
					)}
				</main>
				{isNarrow.value && (
					<aside class="side" aria-label="Setting below">
						<Setting />
					</aside>
				)}
			</div>
			<Footer />
			{dialog.value === "command" && <CommandDialog />}
			{dialog.value === "save" && <SaveDialog />}
			{dialog.value === "share" && <ShareDialog />}
			{dialog.value === "keys" && <KeysDialog />}
		</>
	);
}
