/** Links of the page, made without the page. */

import { deflateRawSync } from "node:zlib";

/** The fragment that holds this scenario. */
export function fragmentOf(scenario) {
	return `#1.${deflateRawSync(Buffer.from(scenario)).toString("base64url")}`;
}
