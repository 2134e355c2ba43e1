/** The picture and the plots of the page as one PNG. */

import { palette } from "../draw/palette";

const MARGIN = 16;
const TITLE_HEIGHT = 24;

export async function picture(): Promise<Uint8Array> {
	const figures = [...document.querySelectorAll<HTMLElement>(".lane figure, .plot")].flatMap(
		(figure) => {
			const canvas = figure.querySelector("canvas");
			const title = figure.querySelector("figcaption, h3")?.textContent?.trim() ?? "";
			return canvas ? [{ canvas, title }] : [];
		},
	);
	const ratio = devicePixelRatio;
	const width = Math.max(1, ...figures.map(({ canvas }) => canvas.width)) + 2 * MARGIN * ratio;
	const heights = figures.map(({ canvas }) => canvas.height + (TITLE_HEIGHT + MARGIN) * ratio);
	const whole = document.createElement("canvas");
	whole.width = width;
	whole.height = heights.reduce((sum, height) => sum + height, MARGIN * ratio);
	const context = whole.getContext("2d");
	if (!context) {
		throw new Error("The browser has no memory for the picture.");
	}
	context.fillStyle = palette.peek().page;
	context.fillRect(0, 0, whole.width, whole.height);
	context.fillStyle = palette.peek().ink;
	context.font = `600 ${14 * ratio}px system-ui, sans-serif`;
	let y = MARGIN * ratio;
	for (const { canvas, title } of figures) {
		context.fillText(title, MARGIN * ratio, y + 16 * ratio);
		y += TITLE_HEIGHT * ratio;
		context.drawImage(canvas, MARGIN * ratio, y);
		y += canvas.height + MARGIN * ratio;
	}
	const blob = await new Promise<Blob | null>((resolve) => whole.toBlob(resolve, "image/png"));
	if (!blob) {
		throw new Error("The browser could not write the picture.");
	}
	return new Uint8Array(await blob.arrayBuffer());
}
