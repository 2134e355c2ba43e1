import { useMemo } from "preact/hooks";
import type { CaseRun, Run, TransferRun } from "../engine/types";
import { shownTimeS } from "../state/clock";
import { avoidanceName } from "../state/names";
import type { Evidence } from "../state/probing";
import { caseInWords, type Moment, momentOf } from "../state/words";
import { bitRate, byteCount, duration, significant } from "../units";
import { SeriesMark } from "./SeriesMark";

/** What the sender believes at this moment, beside the truth. */
export function Belief(props: BeliefProps) {
	const transfer = props.one.transfers[0];
	return transfer ? <Card {...props} transfer={transfer} /> : null;
}

interface BeliefProps {
	run: Run;
	one: CaseRun;
	name: string;
	series: number;
}

function Card({ run, one, transfer, name, series }: BeliefProps & { transfer: TransferRun }) {
	const moment = momentOf(transfer, shownTimeS.value);
	const result = useMemo(() => caseInWords(run, one), [run, one]);
	const size = Number(transfer.fields.size_bytes);
	return (
		<section class="belief" aria-label={`What ${name} believes`}>
			<div>
				<p class="phase">
					<SeriesMark series={series} /> <span class="whose">{name}: </span>
					<b>{moment.isDone ? "Complete" : moment.phase}</b>
					{!moment.isDone && <span class="faint"> since {duration(moment.phaseBeganS)}</span>}
				</p>
				{!moment.isDone && moment.phaseDoes && <p class="does">{moment.phaseDoes}</p>}
				<Gauge moment={moment} bdpBytes={one.bdpBytes} series={series} />
			</div>
			<div>
				<dl>
					<dt>estimate</dt>
					<dd>{estimate(moment, one)}</dd>
					<dt>cwnd</dt>
					<dd>{byteCount(moment.cwndBytes)}</dd>
					<dt>ssthresh</dt>
					<dd>{byteCount(moment.ssthreshBytes)}</dd>
					<dt>in flight</dt>
					<dd>{byteCount(moment.inflightBytes)}</dd>
					<dt>paced at</dt>
					<dd>{bitRate(moment.pacingBytesPerS)}</dd>
					<dt>received</dt>
					<dd>
						{byteCount(moment.receivedBytes)}
						{size > 0 && ` of ${byteCount(size)}`}
					</dd>
				</dl>
				<p class="exit">{moment.isDone ? `${result}.` : exitOf(moment, transfer)}</p>
			</div>
		</section>
	);
}

/** What it knows of the rate: an estimate, or the range that its ACKs leave open. */
function estimate(moment: Moment, one: CaseRun): string {
	if (isSlowStart(one)) {
		return "none";
	}
	if (Number.isNaN(moment.estimateBytesPerS)) {
		return moment.evidence ? range(moment.evidence) : "none yet";
	}
	const share = (100 * moment.estimateBytesPerS) / one.capacityBytesPerS;
	const varies = one.links[one.bottleneck]?.rateVaries;
	const whole = varies ? "the path's without its changes" : "the path's";
	return `${bitRate(moment.estimateBytesPerS)}, ${significant(share, 2)} % of ${whole}`;
}

function range({ deliveredBytesPerS, triedBytesPerS }: Evidence): string {
	const delivered = bitRate(deliveredBytesPerS);
	const tried = bitRate(triedBytesPerS);
	const [low = "", unit = ""] = delivered.split(" ");
	return triedBytesPerS > deliveredBytesPerS
		? `${tried.endsWith(` ${unit}`) ? low : delivered} to ${tried} (delivered, tried)`
		: `${delivered} or more (delivered)`;
}

function isSlowStart({ startup }: CaseRun): boolean {
	return startup === "none" || startup === "standard";
}

function exitOf(moment: Moment, transfer: TransferRun): string {
	if (transfer.startup === "none") {
		const name = avoidanceName(String(transfer.fields.avoidance));
		return `${name} alone, with its own start.`;
	}
	if (Number.isNaN(moment.cwndBytes)) {
		return "The handshake is under way: the start-up begins with the connection.";
	}
	return moment.exit
		? `At ${duration(moment.exit.timeS - transfer.startS)}: ${moment.exit.words}`
		: "The start-up is in control.";
}

/** Bars on one scale, whose middle is the BDP. */
function Gauge(props: { moment: Moment; bdpBytes: number; series: number }) {
	const { moment, bdpBytes, series } = props;
	const rows: [string, number][] = [
		["estimate × min RTT", moment.estimatedBdpBytes],
		["cwnd", moment.cwndBytes],
		["in flight", moment.inflightBytes],
	];
	return (
		<div class="gauge">
			{rows.map(([label, bytes]) => {
				const share = bytes / bdpBytes;
				const width = Number.isNaN(share) ? 0 : Math.min(1, share / 2);
				return (
					<div key={label}>
						<span>{label}</span>
						<span class={`track s${series}`} aria-hidden="true">
							<i class={share > 2 ? "beyond" : ""} style={{ width: `${100 * width}%` }} />
						</span>
						<span class="number">{Number.isNaN(share) ? "–" : `${significant(share, 2)} BDP`}</span>
					</div>
				);
			})}
		</div>
	);
}
