/** Previews: the embedded figure of a scenario as a picture for links. */

import { Buffer } from "node:buffer";
import { pathToFileURL } from "node:url";
import { indexFile } from "./places.mjs";

/** The embedded figure as a preview. */
const STYLE = `
	html { scrollbar-gutter: auto; }
	.embed { gap: 8px; padding: 24px 36px; }
	.embed .stage { gap: 4px; }
	.embed .lanes { gap: 2px; }
	.embed h1 { font-size: 44px; line-height: 1.1; }
	.embed > p {
		display: -webkit-box;
		font-size: 20px;
		line-height: 1.3;
		overflow: hidden;
		-webkit-box-orient: vertical;
		-webkit-line-clamp: 2;
	}
	.embed figcaption { font-size: 19px; }
	.embed .keys, .embed .row { display: none; }
`;

/** Shows the preview of a scenario of pages.mjs. */
export async function showPreview(page, { kind, id, title }) {
	await page.goto(`${pathToFileURL(indexFile()).href}#embed/${kind}/${id}`);
	await page.addStyleTag({ content: STYLE });
	await page.getByRole("heading", { name: title, exact: true }).waitFor();
	await page.locator('main[aria-busy="false"] .stage canvas').nth(1).waitFor();
}

/** The pixels of a PNG file, which the browser decodes. */
export async function pixelsOf(page, png) {
	const text = await page.evaluate(async (base64) => {
		const image = new Image();
		image.src = `data:image/png;base64,${base64}`;
		await image.decode();
		const canvas = document.createElement("canvas");
		[canvas.width, canvas.height] = [image.width, image.height];
		const context = canvas.getContext("2d");
		context.drawImage(image, 0, 0);
		const { data } = context.getImageData(0, 0, image.width, image.height);
		const parts = [];
		for (let at = 0; at < data.length; at += 30_000) {
			parts.push(String.fromCharCode(...data.subarray(at, at + 30_000)));
		}
		return btoa(parts.join(""));
	}, png.toString("base64"));
	return Buffer.from(text, "base64");
}
