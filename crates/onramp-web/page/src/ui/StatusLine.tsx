import { cancel, runAgain } from "../state/runner";
import { isOutdated, linkMessage, run, status } from "../state/store";
import { duration, grouped } from "../units";
import { Words } from "./Words";

/** Progress, mistakes and warnings. It takes no room while all is well. */
export function StatusLine() {
	const { value } = status;
	return (
		<div class="status">
			{linkMessage.value !== "" && (
				<div class="banner" role="alert">
					<p>{linkMessage.value}</p>
					<button type="button" onClick={() => (linkMessage.value = "")}>
						Dismiss
					</button>
				</div>
			)}
			{value.kind === "starting" && <p class="banner">The simulator starts …</p>}
			{value.kind === "running" && value.isSlow && (
				<div class="banner">
					<label>
						Simulating
						<progress max={1} value={value.progress?.fraction ?? 0} />
					</label>
					{value.progress && (
						<span class="number">
							case {value.progress.case} of {value.progress.cases},{" "}
							{duration(value.progress.simulatedS)}, {grouped(value.progress.packets)} packets
						</span>
					)}
					<button type="button" onClick={cancel}>
						Cancel
					</button>
				</div>
			)}
			{value.kind === "cancelled" && (
				<div class="banner">
					<p>The run was cancelled{run.value ? ". Below is the last result." : "."}</p>
					<button type="button" onClick={runAgain}>
						Run
					</button>
				</div>
			)}
			{value.kind === "refused" && (
				<div class="banner wrong" role="alert">
					<div>
						{value.faults.map((fault, at) => (
							<p key={String(at)}>
								{fault.line !== undefined && <b>Line {fault.line}: </b>}
								<Words text={fault.message} />
								{fault.help && (
									<span class="help">
										<Words text={fault.help} />
									</span>
								)}
							</p>
						))}
						{isOutdated.value && <p>Below is the result of the last scenario that ran.</p>}
					</div>
				</div>
			)}
			{value.kind === "broken" && (
				<div class="banner wrong" role="alert">
					<p>{value.message}</p>
					<button type="button" onClick={runAgain}>
						Try again
					</button>
				</div>
			)}
		</div>
	);
}
