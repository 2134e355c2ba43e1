import { LESSONS } from "../lessons";
import { lessonIndex, openLesson, scenarioText, setScenario } from "../state/store";

export function LessonPanel() {
	const index = lessonIndex.value ?? 0;
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
			<h2 id="lesson-title">{lesson.title}</h2>
			<p aria-live="polite">{lesson.text}</p>
			<div class="row">
				<button type="button" disabled={index === 0} onClick={() => openLesson(index - 1)}>
					Back
				</button>
				<button
					type="button"
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
					onClick={() => {
						lessonIndex.value = undefined;
					}}
				>
					End the lesson
				</button>
			</div>
		</section>
	);
}
