/** The scenarios of the page, and others for its limits. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGE } from "./places.mjs";

/** The shipped scenarios of a folder, `presets` or `lessons`. */
export function shipped(folder) {
	const path = join(PAGE, "src", folder);
	const names = readdirSync(path).filter((name) => name.endsWith(".toml"));
	return names.sort().map((name) => ({
		name: name.replace(/\.toml$/, ""),
		text: readFileSync(join(path, name), "utf8"),
	}));
}

export function preset(name) {
	return shipped("presets").find((one) => one.name === name).text;
}

/** A download of two start-ups; `more` are further lines of [path]. */
export function download({ rate = "20 Mbit/s", rtt = "100 ms", size = "1 MB", more = "" } = {}) {
	return `name = "test"

[path]
rate = "${rate}"
rtt = "${rtt}"
${more}

[receiver]
buffer = "64 MiB"

[[transfer]]
size = "${size}"
startup = ["none", "onramp"]
avoidance = "cubic"
`;
}
