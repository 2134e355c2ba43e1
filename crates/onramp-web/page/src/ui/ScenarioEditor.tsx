import { useEffect, useRef } from "preact/hooks";
import { faults, scenarioText, setScenario, status } from "../state/store";
import { Group } from "./Group";
import { Words } from "./Words";

/** The scenario itself: all keys, also those without a control. */
export function ScenarioEditor() {
	const area = useRef<HTMLTextAreaElement>(null);
	const gutter = useRef<HTMLPreElement>(null);
	const text = scenarioText.value;
	useEffect(() => {
		if (area.current && area.current.value !== text) {
			area.current.value = text;
		}
	}, [text]);
	const wrong = new Set(faults.value.map(({ fault }) => fault.line));
	const lines = text.split("\n").length;
	return (
		<Group title="Scenario" class="editor" isOpen={status.value.kind === "refused"}>
			<div class="code">
				<pre ref={gutter} aria-hidden="true">
					{Array.from({ length: lines }, (_, at) => (
						<span key={String(at)} class={wrong.has(at + 1) ? "wrong" : ""}>
							{at + 1}
							{"\n"}
						</span>
					))}
				</pre>
				<textarea
					ref={area}
					aria-label="Scenario, in TOML"
					aria-invalid={wrong.size > 0}
					aria-describedby="scenario-faults"
					spellcheck={false}
					autocomplete="off"
					wrap="off"
					rows={18}
					defaultValue={text}
					onInput={(event) => setScenario(event.currentTarget.value)}
					onScroll={(event) => {
						if (gutter.current) {
							gutter.current.scrollTop = event.currentTarget.scrollTop;
						}
					}}
				/>
			</div>
			<ul id="scenario-faults" class="faults">
				{faults.value.map(({ fault }, at) => (
					<li key={String(at)}>
						{fault.line === undefined ? (
							<Words text={fault.message} />
						) : (
							<button
								type="button"
								class="plain"
								onClick={() => moveCaret(area.current, fault.line ?? 1, fault.column ?? 1)}
							>
								Line {fault.line}, column {fault.column ?? 1}: <Words text={fault.message} />
							</button>
						)}
						{fault.help && (
							<p>
								<Words text={fault.help} />
							</p>
						)}
					</li>
				))}
			</ul>
		</Group>
	);
}

function moveCaret(area: HTMLTextAreaElement | null, line: number, column: number): void {
	if (!area) {
		return;
	}
	const lines = area.value.split("\n");
	const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
	area.focus();
	area.setSelectionRange(before + column - 1, before + (lines[line - 1]?.length ?? 0));
}
