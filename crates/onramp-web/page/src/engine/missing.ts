import type { Run } from "./types";

/** JSON has no NaN: `null` stands for it where the contract has a number. */
export function fillMissing(run: Pick<Run, "cases">): void {
	for (const one of run.cases) {
		for (const link of [...one.links, ...one.returnLinks]) {
			link.queueBytes ??= Number.NaN;
		}
		for (const transfer of one.transfers) {
			transfer.completedS ??= Number.NaN;
			for (const event of transfer.events) {
				event.estimateBytesPerS ??= Number.NaN;
				event.ssthreshBytes ??= Number.NaN;
				event.pacingBytesPerS ??= Number.NaN;
				event.rememberedBytes ??= Number.NaN;
			}
		}
	}
}
