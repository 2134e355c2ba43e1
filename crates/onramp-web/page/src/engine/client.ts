/**
 * The engine, as the page uses it.
 *
 * ```ts
 * const engine = await Engine.start();
 * const run = await engine.run(scenarioToml, showProgress, abort.signal);
 * ```
 *
 * The worker does one task at a time, and tasks wait for their turn. An aborted task ends at once:
 * its worker is terminated, and another one starts from the compiled module.
 */

import type {
	Check,
	ExportedFile,
	ExportFormat,
	Facts,
	Fault,
	Progress,
	Reply,
	Request,
	Run,
} from "./types";

/** What the script `engine.js` leaves for the page. */
export interface EngineScript {
	/** The worker's program. */
	worker: string;
	/** The WebAssembly module, gzip, in base64. */
	wasm: string;
}

declare global {
	var onrampEngine: EngineScript | undefined;
}

/** The scenario has mistakes, or the run was stopped by a limit. */
export class Refusal extends Error {
	readonly faults: Fault[];

	/** At least one fault. */
	constructor(faults: Fault[]) {
		super(faults.map((fault) => fault.message).join("\n"));
		this.name = "Refusal";
		this.faults = faults;
	}

	/** The place of the first mistake, from 1; `undefined`: the whole scenario. */
	get line(): number | undefined {
		return this.faults[0]?.line;
	}

	get column(): number | undefined {
		return this.faults[0]?.column;
	}

	get help(): string | undefined {
		return this.faults[0]?.help;
	}
}

type Task = Request extends infer R ? (R extends { id: number } ? Omit<R, "id"> : never) : never;

interface Pending {
	request: Request;
	resolve(reply: Reply): void;
	reject(error: unknown): void;
	onProgress: ((progress: Progress) => void) | undefined;
}

export class Engine {
	private readonly module: WebAssembly.Module;
	private readonly workerUrl: string;
	private worker: Worker;
	private readonly queue: Pending[] = [];
	private active: Pending | undefined;
	private lastId = 0;

	/** Decodes and compiles the module. It takes some 100 ms and does not block the page. */
	static async start(script = globalThis.onrampEngine): Promise<Engine> {
		if (!script) {
			throw new Error("engine.js is missing: build the page with `make web`");
		}
		const url = URL.createObjectURL(new Blob([script.worker], { type: "text/javascript" }));
		return new Engine(await WebAssembly.compile(await unpacked(script.wasm)), url);
	}

	private constructor(module: WebAssembly.Module, workerUrl: string) {
		this.module = module;
		this.workerUrl = workerUrl;
		this.worker = this.startWorker();
	}

	/** What the program can do. */
	async describe(signal?: AbortSignal): Promise<Facts> {
		const reply = await this.ask({ kind: "describe" }, undefined, signal);
		return expect(reply, "facts").facts;
	}

	/** Reads a scenario and does not run it. It does not throw a `Refusal`. */
	async check(scenario: string, signal?: AbortSignal): Promise<Check> {
		const reply = await this.ask({ kind: "check", scenario }, undefined, signal);
		return expect(reply, "checked").check;
	}

	/** Simulates all cases of a scenario. Throws a `Refusal`, or the signal's reason. */
	async run(
		scenario: string,
		onProgress?: (progress: Progress) => void,
		signal?: AbortSignal,
	): Promise<Run> {
		const reply = await this.ask({ kind: "run", scenario }, onProgress, signal);
		return expect(reply, "done").run;
	}

	/** Simulates one repetition, `run` from 1 to the scenario's `repeat`, and gives how long its
	 * transfers take, in the order of the cases; NaN: not finished. */
	async completionTimes(scenario: string, run: number, signal: AbortSignal): Promise<number[]> {
		const reply = await this.ask({ kind: "times", scenario, run }, undefined, signal);
		return expect(reply, "timed").timesS;
	}

	/** Simulates the scenario again and writes a file; `caseNumber` counts from 1. */
	async exportFile(
		scenario: string,
		format: ExportFormat,
		caseNumber = 1,
		signal?: AbortSignal,
	): Promise<ExportedFile> {
		const task = { kind: "export", scenario, format, case: caseNumber } as const;
		return expect(await this.ask(task, undefined, signal), "file").file;
	}

	/** Ends the worker. Tasks that wait are rejected. */
	close(): void {
		this.worker.terminate();
		URL.revokeObjectURL(this.workerUrl);
		const error = new Error("the engine was closed");
		const waiting = this.active ? [this.active, ...this.queue] : this.queue.slice();
		this.active = undefined;
		this.queue.length = 0;
		for (const pending of waiting) {
			pending.reject(error);
		}
	}

	private ask(
		task: Task,
		onProgress: ((progress: Progress) => void) | undefined,
		signal: AbortSignal | undefined,
	): Promise<Reply> {
		return new Promise((resolve, reject) => {
			if (signal?.aborted) {
				reject(signal.reason);
				return;
			}
			this.lastId += 1;
			const abort = () => this.abort(pending, signal?.reason);
			const pending: Pending = {
				request: { ...task, id: this.lastId },
				resolve: (reply) => {
					signal?.removeEventListener("abort", abort);
					resolve(reply);
				},
				reject: (error) => {
					signal?.removeEventListener("abort", abort);
					reject(error);
				},
				onProgress,
			};
			signal?.addEventListener("abort", abort);
			this.queue.push(pending);
			this.next();
		});
	}

	private abort(pending: Pending, reason: unknown): void {
		if (pending === this.active) {
			this.active = undefined;
			this.restart();
		} else {
			const place = this.queue.indexOf(pending);
			if (place >= 0) {
				this.queue.splice(place, 1);
			}
		}
		pending.reject(reason);
		this.next();
	}

	/** Gives the worker the next task, if it has none. A message waits in the worker's own queue
	 * until the worker is ready. */
	private next(): void {
		if (this.active) {
			return;
		}
		this.active = this.queue.shift();
		if (this.active) {
			this.worker.postMessage(this.active.request);
		}
	}

	private startWorker(): Worker {
		const worker = new Worker(this.workerUrl);
		worker.onmessage = (event: MessageEvent<Reply>) => {
			if (worker === this.worker) {
				this.answer(event.data);
			}
		};
		worker.onerror = (event) => {
			if (worker === this.worker) {
				this.fail(event.message || "the worker could not be started");
			}
		};
		worker.postMessage(this.module);
		return worker;
	}

	private restart(): void {
		this.worker.terminate();
		this.worker = this.startWorker();
	}

	private answer(reply: Reply): void {
		if (reply.kind === "broken") {
			this.fail(reply.message);
			return;
		}
		if (reply.kind === "ready" || reply.id !== this.active?.request.id) {
			return;
		}
		if (reply.kind === "progress") {
			this.active.onProgress?.(reply.progress);
			return;
		}
		if (reply.kind === "crashed") {
			this.fail(reply.message);
			return;
		}
		const { active } = this;
		this.active = undefined;
		if (reply.kind === "refused") {
			active.reject(new Refusal(reply.faults));
		} else {
			active.resolve(reply);
		}
		this.next();
	}

	/** The worker cannot continue. The next task gets another one. */
	private fail(message: string): void {
		const { active } = this;
		this.active = undefined;
		this.restart();
		active?.reject(new Refusal([{ message }]));
		this.next();
	}
}

function expect<K extends Reply["kind"]>(reply: Reply, kind: K): Extract<Reply, { kind: K }> {
	if (reply.kind !== kind) {
		throw new Error(`the worker answered \`${reply.kind}\` where \`${kind}\` was expected`);
	}
	return reply as Extract<Reply, { kind: K }>;
}

/** The bytes of a gzip file in base64. */
async function unpacked(base64: string): Promise<ArrayBuffer> {
	const text = atob(base64);
	const packed = new Uint8Array(text.length);
	for (let at = 0; at < text.length; at += 1) {
		packed[at] = text.charCodeAt(at);
	}
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(stream).arrayBuffer();
}
