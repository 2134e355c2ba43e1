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
	const text = value.toFixed(decimals);
	return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
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

/** `600 ms`, `3.25 s` or `80 µs`. */
export function duration(seconds: number): string {
	const size = Math.abs(seconds);
	if (!Number.isFinite(seconds)) {
		return NO_VALUE;
	}
	if (size >= 1 || size === 0) {
		return `${significant(seconds, 3)} s`;
	}
	return size >= 1e-3
		? `${significant(seconds * 1e3, 3)} ms`
		: `${significant(seconds * 1e6, 3)} µs`;
}

/** A time on the clock, with as many decimals as a step of the clock needs: `3.25 s`. */
export function clockTime(seconds: number, stepS: number): string {
	const [scale, unit] = stepS < 1e-4 ? [1e3, "ms"] : [1, "s"];
	const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(stepS * scale))));
	return `${(seconds * scale).toFixed(decimals)} ${unit}`;
}
