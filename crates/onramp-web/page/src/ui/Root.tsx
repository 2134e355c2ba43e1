import { useEffect } from "preact/hooks";
import { GameView } from "../game/GameView";
import { isPlaying } from "../state/clock";
import { route } from "../state/route";
import { App } from "./App";

/** The part of the page that the address names. */
export function Root() {
	const { kind } = route.value;
	useEffect(() => {
		if (kind === "game") {
			isPlaying.value = false;
		}
	}, [kind]);
	return kind === "game" ? <GameView /> : <App />;
}
