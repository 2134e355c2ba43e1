import { PRESETS } from "../presets";
import { lessonIndex, openPreset, preset, scenario } from "../state/store";

export function Presets() {
	const shown = preset.value;
	const isLesson = lessonIndex.value !== undefined;
	const description = scenario.value?.description;
	const sentence = shown?.sentence ?? (typeof description === "string" ? description : "");
	return (
		<section class="presets" aria-labelledby="presets-title">
			<h2 id="presets-title">Paths</h2>
			<ul>
				{PRESETS.map((one) => (
					<li key={one.id}>
						<button
							type="button"
							aria-pressed={one === shown}
							title={one.sentence}
							onClick={() => openPreset(one.id)}
						>
							{one.title}
						</button>
					</li>
				))}
			</ul>
			{sentence !== "" && !isLesson && (
				<p class="sentence">
					{sentence}
					{shown === undefined && " (The setting was changed since.)"}
				</p>
			)}
		</section>
	);
}
