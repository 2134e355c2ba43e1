/**
 * The worker: it runs the WebAssembly module. `build.mjs` bundles this file with the module's
 * JavaScript side (`#bindgen`). The first message is the compiled module.
 */

import { check, completionTimes, describe, exportFile, initSync, type Report, run } from "#bindgen";
import { fillMissing } from "./missing";
import type { Fault, Reply, Request, Run } from "./types";

/** Real time after which a task is stopped. */
const MAX_TASK_MS = 60_000;
/** Real time between two reports of progress. */
const REPORT_INTERVAL_MS = 100;

self.onmessage = (event: MessageEvent<WebAssembly.Module | Request>) => {
	const message = event.data;
	if (message instanceof WebAssembly.Module) {
		begin(message);
	} else {
		work(message);
	}
};

function begin(module: WebAssembly.Module): void {
	try {
		initSync({ module });
		reply({ kind: "ready" });
	} catch (error) {
		reply({ kind: "broken", message: `the simulator does not start: ${error}` });
	}
}

function work(request: Request): void {
	const { id } = request;
	try {
		reply(...answer(request));
	} catch (error) {
		if (Array.isArray(error)) {
			reply({ kind: "refused", id, faults: error as Fault[] });
			return;
		}
		// A panic or an allocation that failed: the state of the module is unknown.
		const message =
			error instanceof RangeError || `${error}`.includes("memory")
				? "the browser does not have enough memory for this scenario"
				: `the simulator failed: ${error}`;
		reply({ kind: "crashed", id, message });
	}
}

function answer(request: Request): [Reply, Transferable[]?] {
	const { id } = request;
	const began = performance.now();
	switch (request.kind) {
		case "describe":
			return [{ kind: "facts", id, facts: describe() }];
		case "check":
			return [{ kind: "checked", id, check: check(request.scenario) }];
		case "run": {
			const played = run(request.scenario, reporter(id, began));
			const timed = { ...played, elapsedMs: performance.now() - began };
			fillMissing(timed);
			return [{ kind: "done", id, run: timed }, buffers(timed)];
		}
		case "times": {
			const times = completionTimes(request.scenario, request.run, reporter(id, began));
			return [{ kind: "timed", id, timesS: times.map((one) => one ?? Number.NaN) }];
		}
		case "export": {
			const { scenario, format } = request;
			const report = reporter(id, began);
			const file = exportFile(scenario, format, request.case, report);
			return [{ kind: "file", id, file }, [file.bytes.buffer]];
		}
	}
}

/** Reports progress to the page now and then, and stops what takes too long. */
function reporter(id: number, began: number): Report {
	let reported = began;
	return (progress) => {
		const now = performance.now();
		if (now - reported >= REPORT_INTERVAL_MS) {
			reported = now;
			reply({ kind: "progress", id, progress });
		}
		return now - began < MAX_TASK_MS;
	};
}

/** The memory of all columns: it moves to the page and is not copied. */
function buffers(run: Run): Transferable[] {
	const tables = run.cases.flatMap((one) => [
		one.packets,
		one.queue,
		...one.transfers.flatMap((transfer) => [
			transfer.sender,
			transfer.rtt,
			transfer.segments,
			transfer.receiver,
		]),
	]);
	return tables.flatMap((table) => Object.values(table).map((column) => column.buffer));
}

function reply(message: Reply, transfer: Transferable[] = []): void {
	self.postMessage(message, { transfer });
}
