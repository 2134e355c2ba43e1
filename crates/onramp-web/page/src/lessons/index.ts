/**
 * The lesson: six steps through the five papers and what became of them. Each step is a scenario
 * with two start-ups, and a text about what they do there. The numbers in the texts are those of
 * the simulator; crates/onramp-web/tests/page/lessons.rs computes them.
 */

import slowStart from "./1-slow-start.toml";
import pacing from "./2-pacing.toml";
import packetPairs from "./3-packet-pairs.toml";
import receiver from "./4-receiver.toml";
import satellites from "./5-satellites.toml";
import onramp from "./6-onramp.toml";

export interface Lesson {
	id: string;
	title: string;
	/** Fewer than 80 words. */
	text: string;
	/** The scenario. */
	toml: string;
}

export const LESSONS: Lesson[] = [
	{
		id: "slow-start",
		title: "Why slow start is slow",
		text: `Slow start sends ten segments, and waits for their ACKs. How many may it send in the
			next round trip? This path holds 417 segments, and a round trip takes 500 ms. The link
			is idle for three quarters of three seconds. The start-up qos is told the rate, which
			the network guarantees (Ritter, Wehrle & Wolf 2001). It fills the path in the first
			round trip, and takes less than half of the time.`,
		toml: slowStart,
	},
	{
		id: "pacing",
		title: "Measure, then pace",
		text: `Who tells the sender the rate elsewhere? The bottleneck: ACKs arrive as it has spaced
			the packets. Aron & Druschel (1998) compare flights. When two estimates agree within
			10 %, paced sends half of the BDP within one round trip, segment by segment, at the
			measured rate. The queue stays almost empty. Slow start answers each ACK with two
			segments, twice the bottleneck rate, and its queue grows with every round trip.`,
		toml: pacing,
	},
	{
		id: "packet-pairs",
		title: "Packet pairs: once, or again and again",
		text: `Two packets sent together leave the bottleneck at its rate: a packet pair. Hoe (1996)
			reads the rate once, from three ACKs, and makes the BDP the ssthresh. The estimate is
			right, but slow start goes there in bursts, which overflow a short queue on the way.
			With astart (Wang et al.) ssthresh follows the measured rate again and again. The window
			grows more slowly, nothing is lost, and the transfer is faster.`,
		toml: packetPairs,
	},
	{
		id: "receiver",
		title: "The receiver's view",
		text: `ACKs show the forward rate only where the return path is free. Here it is a hundred
			times slower. The start-up paced takes the rate of the ACKs for that of the path, and
			measures 29 % of it. With pair (Nishida, Nakamura & Murai) the receiver measures the
			interval at which two segments arrive, and reports it in a TCP option. Its estimate is
			right within 1 %, whatever happens to the other ACKs.`,
		toml: receiver,
	},
	{
		id: "satellites",
		title: "Satellites",
		text: `The queue before a satellite link is small beside the BDP: here 40 packets beside
			205. Slow start sends two segments for each ACK, at twice the bottleneck rate. The queue
			overflows before the path is full, and 81 segments are lost. With spaced (Chaher et al.
			1998) they leave at the rate of the ACKs: as many in each round trip, 10, 20, 40, 80 and
			160, but one at a time. No segment is lost.`,
		toml: satellites,
	},
	{
		id: "onramp",
		title: "What onramp joins",
		text: `The start-up onramp measures the rate from the first ACKs, or from the receiver's
			clock where ACKs are held back. It paces three quarters of the BDP in the second round
			trip. While the path delivers more, its window grows, slowly at first. It stops when the
			delay rises and stays. CUBIC, the default of Linux, doubles its flights for six round
			trips, and 245 packets find the queue full. None of onramp's is lost.`,
		toml: onramp,
	},
].map((lesson) => ({ ...lesson, text: inOneLine(lesson.text) }));

/** A number and its unit stay together. */
function inOneLine(text: string): string {
	return text.replace(/\s+/g, " ").replace(/ (?=%|ms\b)/g, "\u00a0");
}
