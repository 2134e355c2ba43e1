import { useEffect, useRef } from "preact/hooks";
import { PRESETS } from "../presets";
import { openPreset, preset } from "../state/store";
import { isNarrow, settingIsOpen } from "./room";

/** The paths, and the way to a path of one's own. */
export function Presets() {
	const shown = preset.value;
	const list = useRef<HTMLUListElement>(null);
	useEffect(() => {
		// On a phone the list is wider than the window.
		const pressed = list.current?.querySelector<HTMLElement>("[aria-pressed=true]");
		if (list.current && pressed) {
			const middle = pressed.offsetLeft + pressed.offsetWidth / 2 - list.current.offsetLeft;
			list.current.scrollLeft = middle - list.current.clientWidth / 2;
		}
	}, [shown]);
	return (
		<section class="presets" aria-labelledby="presets-title">
			<h2 id="presets-title" class="hidden">
				Paths
			</h2>
			<ul ref={list}>
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
			{!isNarrow.value && <SettingButton />}
		</section>
	);
}

export function SettingButton() {
	return (
		<button
			type="button"
			class="setting-button"
			aria-expanded={settingIsOpen.value}
			onClick={() => {
				settingIsOpen.value = !settingIsOpen.peek();
			}}
		>
			Change the path
		</button>
	);
}
