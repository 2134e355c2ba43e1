/** Gives the user a file. */
export function download(name: string, type: string, bytes: Uint8Array): void {
	const url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type }));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	// Some browsers read the file after the click has returned.
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
