import { go } from "../state/route";
import { facts, lessonIndex, openLesson } from "../state/store";
import { dialog } from "./dialogs";
import { theme, toggleTheme } from "./theme";

export function Header() {
	return (
		<header class="head">
			<h1>Onramp playground</h1>
			<div class="actions">
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
				<button type="button" onClick={() => go("#game")}>
					Beat onramp
				</button>
				<button type="button" onClick={() => (dialog.value = "share")}>
					Share
				</button>
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

/** What runs here. */
export function Footer() {
	return (
		<footer class="foot">
			TCP start-ups on a path of your own. The simulator and the C code of the kernel run in this
			page{facts.value ? `: version ${facts.value.version}` : ""}.
		</footer>
	);
}
