/**
 * A link holds a scenario in its fragment: `#1.` and the text, compressed (deflate) and in
 * base64url. The number is the version of this form.
 */

const VERSION = "1";
/** A longer scenario is refused: some browsers and most chats cut longer links. */
const MAX_FRAGMENT_CHARS = 32_000;
/** A short link may unpack to gigabytes, so unpacking stops here. */
const MAX_SCENARIO_BYTES = 256 * 1024;

/** What a fragment asks for. */
export type Fragment =
	| { kind: "none" }
	| { kind: "scenario"; text: string }
	| { kind: "preset"; id: string }
	| { kind: "lesson"; id: string };

/** The message is a sentence for the user. */
export class LinkError extends Error {
	override name = "LinkError";
}

/** The fragment of a scenario, with `#`. Throws a `LinkError` if the scenario is too long. */
export async function fragmentOf(text: string): Promise<string> {
	const packed = await through(bytesOf(text), new CompressionStream("deflate-raw"));
	const fragment = `#${VERSION}.${base64url(packed)}`;
	if (fragment.length > MAX_FRAGMENT_CHARS) {
		throw new LinkError(
			`The scenario is too long for a link: it would have ${fragment.length} characters, and ` +
				`${MAX_FRAGMENT_CHARS} is the limit. Save the scenario as a file instead.`,
		);
	}
	return fragment;
}

/** Reads a fragment, with or without `#`. Throws a `LinkError`. */
export async function readFragment(fragment: string): Promise<Fragment> {
	const text = fragment.replace(/^#/, "");
	if (text === "") {
		return { kind: "none" };
	}
	const named = /^(preset|lesson)\/([a-z0-9-]{1,64})$/.exec(text);
	if (named?.[1] && named[2]) {
		return { kind: named[1] as "preset" | "lesson", id: named[2] };
	}
	const parts = /^(\d{1,4})\.(.*)$/s.exec(text);
	if (!parts) {
		throw new LinkError(
			"The link is not one of this page: copy the whole link, or open a path below.",
		);
	}
	const [, version, packed = ""] = parts;
	if (version !== VERSION) {
		throw new LinkError(
			`The link has version ${version}, and this page reads version ${VERSION}. ` +
				"Open the link with the version of the page that made it.",
		);
	}
	if (text.length > MAX_FRAGMENT_CHARS) {
		throw new LinkError(
			`The link has ${text.length} characters, and ${MAX_FRAGMENT_CHARS} is the limit.`,
		);
	}
	return { kind: "scenario", text: await unpacked(packed) };
}

async function unpacked(packed: string): Promise<string> {
	const damaged = new LinkError("The link is damaged: a part of it is missing or was changed.");
	if (!/^[\w-]+$/.test(packed)) {
		throw damaged;
	}
	let bytes: Uint8Array;
	try {
		bytes = await through(fromBase64url(packed), new DecompressionStream("deflate-raw"));
	} catch (error) {
		throw error instanceof LinkError ? error : damaged;
	}
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw damaged;
	}
}

async function through(
	bytes: Uint8Array<ArrayBuffer>,
	stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
	const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
	const parts: Uint8Array[] = [];
	let length = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) {
			break;
		}
		parts.push(value);
		length += value.length;
		if (length > MAX_SCENARIO_BYTES) {
			await reader.cancel();
			throw new LinkError(
				`The link holds more than ${MAX_SCENARIO_BYTES / 1024} KiB, which is no scenario.`,
			);
		}
	}
	const whole = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
	return new TextEncoder().encode(text);
}

function base64url(bytes: Uint8Array): string {
	let text = "";
	for (const byte of bytes) {
		text += String.fromCharCode(byte);
	}
	return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
	const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
	return Uint8Array.from(plain, (char) => char.charCodeAt(0));
}
