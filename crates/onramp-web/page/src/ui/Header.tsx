import { useState } from "preact/hooks";
import { linkOf } from "../state/history";
import { go } from "../state/route";
import { facts, lessonIndex, openLesson, scenarioText } from "../state/store";
import { copyText } from "./copy";
import { dialog } from "./dialogs";
import { theme, toggleTheme } from "./theme";

export function Header() {
	return (
		<header class="head">
			<div class="title">
				<h1>Onramp playground</h1>
				<p>
					TCP start-ups on a path of your own. The simulator and the C code of the kernel run in
					this page{facts.value ? `: version ${facts.value.version}` : ""}.
				</p>
			</div>
			<div class="actions">
				<button type="button" onClick={() => go("#game")}>
					Beat onramp
				</button>
				<button
					type="button"
					aria-pressed={lessonIndex.value !== undefined}
					onClick={() => {
						if (lessonIndex.value === undefined) {
							openLesson(0);
						} else {
							lessonIndex.value = undefined;
						}
					}}
				>
					Lesson
				</button>
				<CopyLink />
				<button type="button" onClick={() => (dialog.value = "command")}>
					Command line
				</button>
				<button type="button" onClick={() => (dialog.value = "save")}>
					Save
				</button>
				<button type="button" onClick={toggleTheme} aria-pressed={theme() === "dark"}>
					Dark
				</button>
				<button type="button" onClick={() => (dialog.value = "keys")}>
					Keys
				</button>
			</div>
		</header>
	);
}

function CopyLink() {
	const [message, setMessage] = useState("");
	const copy = async () => {
		try {
			await copyText(await linkOf(scenarioText.value));
			setMessage("Link copied");
		} catch (error) {
			setMessage(error instanceof Error ? error.message : String(error));
		}
		setTimeout(() => setMessage(""), 4000);
	};
	return (
		<>
			<button type="button" onClick={() => void copy()}>
				Copy link
			</button>
			<span class="toast" role="status">
				{message}
			</span>
		</>
	);
}
