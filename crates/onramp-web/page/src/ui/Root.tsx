import { useEffect } from "preact/hooks";
import { GameView } from "../game/GameView";
import { isPlaying } from "../state/clock";
import { route } from "../state/route";
import { App } from "./App";
import { EmbedView } from "./EmbedView";

/** The part of the page that the address names. */
export function Root() {
	const { kind } = route.value;
	useEffect(() => {
		if (kind === "game") {
			isPlaying.value = false;
		}
	}, [kind]);
	switch (kind) {
		case "game":
			return <GameView />;
		case "embed":
			return <EmbedView />;
		case "playground":
			return <App />;
	}
}
