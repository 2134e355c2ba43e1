/**
 * Builds the page: `node build.mjs [--out FOLDER] [--engine FOLDER] [--base ADDRESS]`.
 *
 * `--base`: the address that the folder will have, such as `https://example.org/play`. Previews of
 * links need it: without it their pictures have relative addresses, which some programs ignore.
 *
 * All files are classic scripts, because browsers load no module, no worker and no WebAssembly from
 * file://. The worker and the compressed WebAssembly module are texts in `engine.js`; the client
 * makes a Blob of each.
 *
 * `--unit-tests` bundles src/**\/*.test.ts into target/web-tests instead, for `node --test`. Some
 * of them run the engine.
 */

import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { writePages } from "./pages.mjs";

const page = fileURLToPath(new URL(".", import.meta.url));
const target = fileURLToPath(new URL("../../../target/", import.meta.url));
const { values: options } = parseArgs({
	options: {
		out: { type: "string", default: join(target, "web") },
		engine: { type: "string", default: join(target, "web-engine") },
		base: { type: "string" },
		"unit-tests": { type: "boolean", default: false },
	},
});

const common = {
	bundle: true,
	target: "es2022",
	loader: { ".toml": "text" },
	logLevel: "warning",
};

if (options["unit-tests"]) {
	await buildUnitTests(options.engine, join(target, "web-tests"));
} else {
	await buildPage(options.out);
	await writePages(options.out, options.base);
	await buildEngine(options.engine, options.out);
}

async function buildPage(out) {
	await mkdir(out, { recursive: true });
	await build({
		...common,
		entryPoints: { onramp: join(page, "src/main.tsx") },
		outdir: out,
		format: "iife",
		minify: true,
		jsx: "automatic",
		jsxImportSource: "preact",
		legalComments: "none",
	});
	await copyFile(join(page, "icon.svg"), join(out, "icon.svg"));
}

/** The module, which wasm-bindgen has prepared. */
function moduleOf(engine) {
	const module = join(engine, "onramp_web_bg.wasm");
	if (!existsSync(module)) {
		throw new Error(`${module} is missing: \`make web\` builds it before the page`);
	}
	return module;
}

/** `engine.js`: the worker's program and the module. */
async function buildEngine(engine, out) {
	const module = moduleOf(engine);
	const worker = await build({
		...common,
		entryPoints: [join(page, "src/engine/worker.ts")],
		alias: { "#bindgen": join(engine, "onramp_web.js") },
		format: "iife",
		minify: true,
		legalComments: "none",
		write: false,
	});
	const script = {
		worker: worker.outputFiles[0].text,
		wasm: gzipSync(readFileSync(module), { level: 9 }).toString("base64"),
	};
	await writeFile(join(out, "engine.js"), `var onrampEngine=${JSON.stringify(script)};\n`);
}

async function buildUnitTests(engine, out) {
	const module = moduleOf(engine);
	await rm(out, { recursive: true, force: true });
	const files = await readdir(join(page, "src"), { recursive: true });
	await build({
		...common,
		entryPoints: files.filter((f) => f.endsWith(".test.ts")).map((f) => join(page, "src", f)),
		outdir: out,
		outExtension: { ".js": ".mjs" },
		alias: { "#bindgen": join(engine, "onramp_web.js") },
		define: { ENGINE_WASM: JSON.stringify(module) },
		format: "esm",
		platform: "node",
	});
}
