/** A sentence in which backticks mark names and values, as the command line prints it. */
export function Words({ text }: { text: string }) {
	return <>{text.split("`").map((part, at) => (at % 2 === 0 ? part : <code>{part}</code>))}</>;
}
