/**
 * The presets: scenarios of real paths. The sentence of each is its `description`, so that the file
 * says the same on the command line.
 */

import { parse } from "smol-toml";
import cable from "./cable.toml";
import dataCentre from "./data-centre.toml";
import geostationary from "./geostationary.toml";
import lowOrbit from "./low-orbit.toml";
import lte from "./lte.toml";
import policed from "./policed.toml";
import transatlantic from "./transatlantic.toml";
import wifi from "./wifi.toml";

export interface Preset {
	/** The scenario's `name`, and the name of its file. */
	id: string;
	title: string;
	/** What the path is, and what happens on it. */
	sentence: string;
	/** The scenario. */
	toml: string;
}

/** In the order of the page. The first is shown when the page opens. */
export const PRESETS: Preset[] = [
	preset("Geostationary satellite", geostationary),
	preset("Low orbit, hand-over", lowOrbit),
	preset("Transatlantic", transatlantic),
	preset("LTE", lte),
	preset("WiFi", wifi),
	preset("Cable", cable),
	preset("Policed line", policed),
	preset("Data centre", dataCentre),
];

function preset(title: string, toml: string): Preset {
	const { name, description } = parse(toml);
	if (typeof name !== "string" || typeof description !== "string") {
		throw new Error(`preset "${title}": name and description are required`);
	}
	return { id: name, title, sentence: description, toml };
}
