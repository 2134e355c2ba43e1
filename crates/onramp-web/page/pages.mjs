/**
 * A page of its own for each preset and each step of the lesson, such as `preset-wifi.html`: it has
 * the title, the description and the preview picture of the scenario, for programs that show a
 * link, and opens the playground there.
 */

import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = fileURLToPath(new URL(".", import.meta.url));

/** Where previews.mjs puts the pictures. */
export const PREVIEWS = join(page, "previews");
/** The size that previews have everywhere. */
export const PREVIEW_SIZE = { width: 1200, height: 630 };

/** `SHIPPED` of src/state/share.ts. */
export async function shippedScenarios() {
	const bundle = await build({
		entryPoints: [join(page, "src/state/share.ts")],
		bundle: true,
		format: "esm",
		platform: "node",
		loader: { ".toml": "text" },
		write: false,
	});
	const source = Buffer.from(bundle.outputFiles[0].contents).toString("base64");
	return (await import(`data:text/javascript;base64,${source}`)).SHIPPED;
}

/** Writes index.html, and the pages with their pictures. `base`: the address of the folder. */
export async function writePages(out, base) {
	const address = base === undefined ? "" : `${base.replace(/\/$/, "")}/`;
	const index = await readFile(join(page, "index.html"), "utf8");
	const image = 'property="og:image" content="';
	await writeFile(join(out, "index.html"), index.replace(image, image + address));
	for (const one of await shippedScenarios()) {
		await writeFile(join(out, one.file), pageOf(one, address));
		await copyFile(join(PREVIEWS, one.preview), join(out, one.preview));
	}
}

function pageOf({ kind, id, title, description, file, preview }, address) {
	const fragment = `${kind}/${id}`;
	const properties = [
		["og:type", "website"],
		["og:site_name", "Onramp playground"],
		["og:title", title],
		["og:description", description],
		["og:image", address + preview],
		["og:image:width", PREVIEW_SIZE.width],
		["og:image:height", PREVIEW_SIZE.height],
		["og:image:alt", `Two TCP start-ups on one path: ${title}`],
		...(address ? [["og:url", address + file]] : []),
	];
	const tags = properties.map(
		([name, content]) => `<meta property="${name}" content="${quoted(content)}">`,
	);
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${quoted(title)} – Onramp playground</title>
<meta name="description" content="${quoted(description)}">
${tags.join("\n")}
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="icon.svg">
<script>location.replace("index.html#${fragment}");</script>
</head>
<body>
<h1>${quoted(title)}</h1>
<p>${quoted(description)}</p>
<p><a href="index.html#${fragment}">Open the playground</a></p>
</body>
</html>
`;
}

function quoted(text) {
	return String(text).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
