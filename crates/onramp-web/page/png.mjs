/** A PNG file with a palette: a fourth of the bytes of one with all colours. */

import { crc32, deflateSync } from "node:zlib";

/** Colours of the file. A figure of flat colours has few, and the edges of its texts. */
const MAX_COLOURS = 64;
/** Browsers dither gradients. Without their noise, which nobody sees, the file has fewer bytes. The
 * step divides 255. */
const STEP = 3;

/** Encodes pixels of red, green, blue and alpha; alpha is left out. */
export function indexedPng(dithered, width, height) {
	const pixels = dithered.map((part) => STEP * Math.round(part / STEP));
	const colours = mostFrequent(pixels);
	const nearest = new Map();
	const rows = Buffer.alloc((width + 1) * height);
	for (let at = 0; at < width * height; at += 1) {
		const colour = pixels.subarray(4 * at, 4 * at + 3);
		const key = (colour[0] << 16) | (colour[1] << 8) | colour[2];
		if (!nearest.has(key)) {
			nearest.set(key, nearestOf(colours, colour));
		}
		// Each row begins with a zero: it has no filter.
		rows[at + Math.floor(at / width) + 1] = nearest.get(key);
	}
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 3, 0, 0, 0], 8);
	return Buffer.concat([
		Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		chunk("IHDR", header),
		chunk("PLTE", Buffer.from(colours.flat())),
		chunk("IDAT", deflateSync(rows, { level: 9 })),
		chunk("IEND", Buffer.alloc(0)),
	]);
}

function mostFrequent(pixels) {
	const counts = new Map();
	for (let at = 0; at < pixels.length; at += 4) {
		const key = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	const keys = [...counts].sort((a, b) => b[1] - a[1]).map(([key]) => key);
	return keys.slice(0, MAX_COLOURS).map((key) => [key >> 16, (key >> 8) & 255, key & 255]);
}

function nearestOf(colours, colour) {
	const distance = (other) => other.reduce((sum, part, at) => sum + (part - colour[at]) ** 2, 0);
	const distances = colours.map(distance);
	return distances.indexOf(Math.min(...distances));
}

function chunk(name, data) {
	const body = Buffer.concat([Buffer.from(name), data]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.length);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}
