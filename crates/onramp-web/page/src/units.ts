/**
 * Numbers as people read them, as in the project's reports (crates/onramp-report/src/units.rs): few
 * digits, a unit, and a dash where there is no number.
 */

const NO_VALUE = "–";
const PREFIXES: [number, string][] = [
	[1e12, "T"],
	[1e9, "G"],
	[1e6, "M"],
	[1e3, "k"],
];

/** A number with this many significant digits, without zeros at its end. */
export function significant(value: number, digits: number): string {
	if (!Number.isFinite(value)) {
		return NO_VALUE;
	}
	const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
	const decimals = Math.min(6, Math.max(0, digits - 1 - magnitude));
	if (Math.abs(value) >= 1e4) {
		return grouped(value);
	}
	const text = value.toFixed(decimals);
	return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A whole number in groups of three digits: `236,495`. */
export function grouped(value: number): string {
	return Number.isFinite(value) ? Math.round(value).toLocaleString("en") : NO_VALUE;
}

/** One decimal, as long as it matters: `0.0`, `1.4`, `27`. */
export function decimal(value: number): string {
	if (!Number.isFinite(value)) {
		return NO_VALUE;
	}
	const text = Math.abs(value) < 9.95 ? value.toFixed(1) : grouped(value);
	return text === "-0.0" ? "0.0" : text;
}

/** A decimal prefix and its factor: `largest` then has one to three digits before the point. */
export function prefix(largest: number): [number, string] {
	return PREFIXES.find(([factor]) => Math.abs(largest) >= factor) ?? [1, ""];
}

/** `50 Mbit/s`, of bytes per second. */
export function bitRate(bytesPerS: number): string {
	const bits = 8 * bytesPerS;
	const [scale, name] = prefix(bits);
	return Number.isFinite(bits) ? `${significant(bits / scale, 3)} ${name}bit/s` : NO_VALUE;
}

/** `1.25 MB`. */
export function byteCount(bytes: number): string {
	const [scale, name] = prefix(bytes);
	return Number.isFinite(bytes) ? `${significant(bytes / scale, 3)} ${name}B` : NO_VALUE;
}

/** `600 ms`, `3.25 s`, `80 µs` or `12.5 h`. */
export function duration(seconds: number): string {
	const size = Math.abs(seconds);
	if (!Number.isFinite(seconds)) {
		return NO_VALUE;
	}
	const [long, unit] = size >= 36_000 ? [3600, "h"] : size >= 1000 ? [60, "min"] : [1, "s"];
	if (long > 1) {
		return `${significant(seconds / long, 3)} ${unit}`;
	}
	if (size >= 0.9995 || size === 0) {
		return `${significant(seconds, 3)} s`;
	}
	// What rounds to 1000 µs is 1 ms.
	return size >= 0.9995e-3
		? `${significant(seconds * 1e3, 3)} ms`
		: `${significant(seconds * 1e6, 3)} µs`;
}

/** A time on the clock, with as many decimals as a step of the clock needs: `3.25 s`. */
export function clockTime(seconds: number, stepS: number): string {
	const [scale, unit] = stepS < 1e-4 ? [1e3, "ms"] : [1, "s"];
	const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(stepS * scale))));
	return `${(seconds * scale).toFixed(decimals)} ${unit}`;
}
