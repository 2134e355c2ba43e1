/**
 * Amounts as a scenario writes them, to place a slider. The engine says whether an amount is right.
 */

const UNITS: Record<string, [kind: string, factor: number]> = {
	"bit/s": ["rate", 1],
	"kbit/s": ["rate", 1e3],
	"Mbit/s": ["rate", 1e6],
	"Gbit/s": ["rate", 1e9],
	B: ["size", 1],
	kB: ["size", 1e3],
	MB: ["size", 1e6],
	GB: ["size", 1e9],
	KiB: ["size", 2 ** 10],
	MiB: ["size", 2 ** 20],
	GiB: ["size", 2 ** 30],
	ns: ["time", 1e-9],
	us: ["time", 1e-6],
	ms: ["time", 1e-3],
	s: ["time", 1],
	"%": ["share", 1e-2],
	bdp: ["bdp", 1],
	packet: ["packets", 1],
	packets: ["packets", 1],
};

/** The text with `unit` behind a bare number, and with a unit of its kind written as scenarios have
 * it: `50` and `50 mbit/s` are `50 Mbit/s`. Other texts stay, for the engine to judge. */
export function withUnit(text: string, unit: string): string {
	const [, number, own = ""] = /^\s*(\d+(?:\.\d+)?)\s*(\S*)\s*$/.exec(text) ?? [];
	const [kind] = UNITS[unit] ?? [];
	if (number === undefined) {
		return text;
	}
	if (own === "") {
		return `${number} ${unit}`;
	}
	const like = Object.keys(UNITS).filter(
		(name) => UNITS[name]?.[0] === kind && name.toLowerCase() === own.toLowerCase(),
	);
	return like[0] && !like.includes(own) ? `${number} ${like[0]}` : text;
}

interface Amount {
	kind: string;
	value: number;
}

function amountOf(text: string): Amount | undefined {
	const [, number, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*(\S*)\s*$/.exec(text) ?? [];
	const [kind, factor] = UNITS[unit] ?? [];
	return number === undefined || kind === undefined || factor === undefined
		? undefined
		: { kind, value: Number(number) * factor };
}

/** Index of the step nearest to `text`; -1: it has another unit, or is no amount. */
export function nearestStep(text: string, steps: readonly string[]): number {
	const same = steps.indexOf(text);
	const amount = amountOf(text);
	if (same >= 0 || !amount) {
		return same;
	}
	let best = -1;
	let bestDistance = Number.POSITIVE_INFINITY;
	for (const [at, step] of steps.entries()) {
		const other = amountOf(step);
		if (other?.kind === amount.kind) {
			// Steps are ratios; zero is below all of them.
			const distance = Math.abs(Math.log((amount.value || 1e-12) / (other.value || 1e-12)));
			if (distance < bestDistance) {
				[best, bestDistance] = [at, distance];
			}
		}
	}
	return best;
}

/** Half of an amount, in its unit; `undefined`: it is no amount. */
export function halfOf(text: string): string | undefined {
	const amount = amountOf(text);
	const unit = /[^\d.\s]\S*\s*$/.exec(text)?.[0].trim();
	const factor = UNITS[unit ?? ""]?.[1];
	return amount && unit && factor
		? `${Number((amount.value / factor / 2).toPrecision(6))} ${unit}`
		: undefined;
}
