import { useEffect, useRef } from "preact/hooks";
import { LESSONS } from "../lessons";
import { lessonIndex, openLesson, scenarioText, setScenario } from "../state/store";
import { SettingButton } from "./Presets";
import { isNarrow } from "./room";

export function LessonPanel() {
	const index = lessonIndex.value ?? 0;
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		// Not for a link that opens the page.
		if (navigator.userActivation.hasBeenActive) {
			show(heading.current);
		}
	}, [index]);
	const lesson = LESSONS[index];
	if (!lesson) {
		return null;
	}
	const isChanged = lesson.toml !== scenarioText.value;
	return (
		<section class="lesson" aria-labelledby="lesson-title">
			<p class="faint">
				Step {index + 1} of {LESSONS.length}
			</p>
			<h2 id="lesson-title" ref={heading} tabIndex={-1}>
				{lesson.title}
			</h2>
			<p aria-live="polite">{lesson.text}</p>
			<div class="row">
				<button type="button" disabled={index === 0} onClick={() => openLesson(index - 1)}>
					Back
				</button>
				<button
					type="button"
					class="main-action"
					disabled={index + 1 === LESSONS.length}
					onClick={() => openLesson(index + 1)}
				>
					Next
				</button>
				{isChanged && (
					<button type="button" onClick={() => setScenario(lesson.toml)}>
						As it was
					</button>
				)}
				<button
					type="button"
					class="quiet"
					onClick={() => {
						lessonIndex.value = undefined;
					}}
				>
					End the lesson
				</button>
				{!isNarrow.value && <SettingButton />}
			</div>
		</section>
	);
}

/** Height of the clock on a phone. */
const CLOCK_PX = 120;

/** Moves the focus to the heading, and the page to it where it is not in view. */
function show(heading: HTMLElement | null): void {
	const panel = heading?.closest("section");
	const { top, bottom } = panel?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
	heading?.focus({ preventScroll: true });
	// The clock stays at the lower end of the window.
	if (top < 0 || bottom > innerHeight - CLOCK_PX) {
		panel?.scrollIntoView({ block: "start" });
	}
}
