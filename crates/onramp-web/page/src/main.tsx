import "uplot/dist/uPlot.min.css";
import "./style/index.css";
import { render } from "preact";
import { startView } from "./plots/view";
import { startClock } from "./state/clock";
import { startHistory } from "./state/history";
import { startPredicting } from "./state/predict";
import { startRunner } from "./state/runner";
import { Root } from "./ui/Root";
import { startTheme } from "./ui/theme";

async function start(): Promise<void> {
	startTheme();
	await startHistory();
	startRunner();
	startClock();
	startPredicting();
	startView();
	const root = document.getElementById("page");
	if (root) {
		root.replaceChildren();
		render(<Root />, root);
	}
}

void start();
