/** The rules of accessibility, by axe-core. */

import { createRequire } from "node:module";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Violations of the rules of WCAG 2.2 A and AA, and of good practice, as text. */
export async function violations(page) {
	await page.addScriptTag({ path: axe });
	const found = await page.evaluate(async () => {
		const result = await globalThis.axe.run(document, {
			// It would read the style sheet again, which file:// does not allow.
			preload: false,
			runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
		});
		return result.violations.map(({ id, help, nodes }) => ({
			id,
			help,
			nodes: nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`),
		}));
	});
	return found.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.join("\n  ")}`).join("\n");
}
