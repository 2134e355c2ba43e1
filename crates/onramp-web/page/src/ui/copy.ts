/** Copies a text. A page from file:// may not use the clipboard's interface. */
export async function copyText(text: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text);
		return;
	} catch {
		// The older way follows.
	}
	const area = document.createElement("textarea");
	area.value = text;
	area.style.position = "fixed";
	area.style.opacity = "0";
	(document.querySelector("dialog[open]") ?? document.body).append(area);
	area.select();
	const isCopied = document.execCommand("copy");
	area.remove();
	if (!isCopied) {
		throw new Error("The browser did not allow the page to copy. Select the text and copy it.");
	}
}
