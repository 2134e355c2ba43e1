/**
 * The contract between the page and the engine: the simulator, compiled to WebAssembly, in a Web
 * Worker. `client.ts` has the class that the page uses.
 *
 * Times are in seconds since the beginning of the run (simulated time), and every series is on this
 * one clock. Sizes are in bytes, rates in bytes per second. A column that has no value for an entry
 * has NaN there. Columns of one table have the same length, and entries are in order of time.
 */

/** What the program can do; it does not depend on a scenario. */
export interface Facts {
	/** Version of Onramp. */
	version: string;
	/** The start-up algorithms, in the order of help texts; first `none`. */
	startups: { name: string; summary: string }[];
	/** The congestion avoidances that the simulator has. */
	avoidances: string[];
	/** A scenario may have this many cases here. */
	maxCases: number;
	/** Packets that are kept of a case. */
	maxPackets: number;
}

/** The result of a scenario. */
export interface Run {
	/** `name` of the scenario. */
	name: string;
	/** `description` of the scenario, or an empty text. */
	description: string;
	/** The bytes that `onramp sim FILE --json` prints for the scenario. */
	recordsJson: string;
	/** One entry for each case, at most `Facts.maxCases`. */
	cases: CaseRun[];
	/** Sentences for the user, such as "a transfer failed" or "one of 4 packets is drawn". */
	warnings: string[];
	/** Real time that the simulation took, with the recorder. */
	elapsedMs: number;
}

export interface CaseRun {
	/** Number of the case in the scenario, from 1. */
	number: number;
	/** The case in one line, as the command line names it. */
	title: string;
	/** The start-up's name in the file: `none`, `onramp`, ... */
	startup: string;
	/** The algorithms of the transfer, for example `onramp + cubic`. */
	algorithms: string;
	/** The seed, in decimal digits: it has 64 bits. */
	seed: string;
	/** Number of the repetition, from 1. */
	run: number;
	/** The end of the run. */
	endS: number;
	/** Names of the nodes on the way of the data: sender, ..., receiver. */
	nodes: string[];
	/** The directed links on the way of the data, in order: `links[i]` leaves `nodes[i]`. */
	links: LinkFacts[];
	/** The directed links of the return path, in order from the receiver. */
	returnLinks: LinkFacts[];
	/** Index in `links` of the link whose queue is drawn: the bottleneck of the first transfer. */
	bottleneck: number;
	/** Index in `returnLinks` of the link whose times ACKs have: the slowest. */
	returnBottleneck: number;
	/** Propagation time of the path and the return path at the start of the run. */
	rttS: number;
	/** Rate that the path sustains at the start, in payload of full segments. */
	capacityBytesPerS: number;
	/** BDP of the path in payload: capacity x RTT. */
	bdpBytes: number;
	/** The measured transfers, as in the records: first the copies of the transfer. */
	transfers: TransferRun[];
	/** The flows that `packets.flow` refers to. */
	flows: FlowFacts[];
	/** Packets on the drawn path, in order of `sentS`. */
	packets: Packets;
	/** The queue of the bottleneck, data direction. */
	queue: QueueSamples;
	/** One of this many packets of each flow and direction is in `packets`; 1: all of them. Dropped
	 * packets and retransmissions are rare, and all of them are there as long as there is room. */
	packetInterval: number;
}

/** A directed link, at the start of the run. */
export interface LinkFacts {
	/** Its ends, for example `sender to receiver`. */
	name: string;
	/** Rate of the serialiser, of IP packets. */
	rateBytesPerS: number;
	/** The rate changes in the run: steps, a trace, opportunities. */
	rateVaries: boolean;
	/** Propagation delay, without jitter. */
	delayS: number;
	/** The delay changes in the run. */
	delayVaries: boolean;
	/** The limit of the queue, as the scenario has it, for example `1 bdp` or `100 packets`. */
	queue: string;
	/** The limit in bytes of IP packets; NaN where it is not in bytes. */
	queueBytes: number;
	/** Elements that are not the default, as in reports, for example `codel, jitter 5 ms`. */
	elements: string;
}

/** A connection, or the datagrams of one source. */
export interface FlowFacts {
	/** Number of the flow, from 0 in the order of their starts. */
	number: number;
	/** Index in `transfers`; -1: other traffic. */
	transfer: number;
	startS: number;
}

/** Kind of a packet, in `Packets.kind`. */
export const PacketKind = {
	/** Data of a TCP sender. */
	Data: 0,
	/** Data that was sent before. */
	Retransmission: 1,
	/** An ACK, a SYN or the request: from the receiver of the data to its sender. */
	Ack: 2,
	/** A packet without TCP. */
	Datagram: 3,
	/** A segment of the sender without payload: SYN, SYN-ACK, FIN or an ACK of the request. */
	Control: 4,
} as const;

/** Why a packet was dropped, in `Packets.dropReason`: an index of this list. */
export const DROP_REASONS = [
	"",
	"queue full",
	"early drop",
	"dropped from the queue",
	"ACK superseded (ACK filter)",
	"random loss",
	"policer",
] as const;

/**
 * Packets, in columns. Packets towards the receiver have the times of the drawn queue, that of the
 * bottleneck: `entered` it, `served` (the transmission begins), `departed` (at the far end of that
 * link). ACKs have those of the slowest link of the return path. Where a packet was dropped before,
 * or the run ended before, a time is NaN. Copies that a duplicating link makes are not here.
 */
export interface Packets {
	/** The host sends it. */
	sentS: Float64Array;
	/** It arrives at the drawn link and is accepted. */
	enteredS: Float64Array;
	/** Its first bit leaves the queue. */
	servedS: Float64Array;
	/** Its last bit reaches the far end of the drawn link. */
	departedS: Float64Array;
	/** It arrives at its host. */
	arrivedS: Float64Array;
	/** A link of its path drops it. */
	droppedS: Float64Array;
	/** Index in `DROP_REASONS`; 0: not dropped. */
	dropReason: Uint8Array;
	/** Index of the dropping link: in `links`, or for ACKs in `returnLinks`; 255: not dropped. */
	dropLink: Uint8Array;
	/** Index in `flows`. */
	flow: Uint32Array;
	/** A value of `PacketKind`. */
	kind: Uint8Array;
	/** Size of the IP packet. */
	bytes: Uint32Array;
	/** Data: place of its first payload byte in the stream. ACK: the cumulative acknowledgement, as
	 * a place in the stream. Otherwise NaN. */
	startByte: Float64Array;
	/** Payload of TCP or of the datagram. */
	payloadBytes: Uint32Array;
}

/** The queue after each change; a long series is thinned evenly, and its maximum stays. */
export interface QueueSamples {
	timeS: Float64Array;
	/** Bytes of IP packets that wait; the packet in transmission is not in the queue. */
	bytes: Float64Array;
	packets: Uint32Array;
}

export interface TransferRun {
	/** Index of the record in the array of `recordsJson`. */
	record: number;
	/** The record: the columns of every export, by their names. */
	fields: Record<string, string | number | boolean | null>;
	/** The start-up's name in the file. */
	startup: string;
	/** The receiver's connect. */
	startS: number;
	/** The receiver has read the last byte; NaN: unfinished. */
	completedS: number;
	sender: SenderSamples;
	rtt: RttSamples;
	segments: SegmentSamples;
	receiver: ReceiverSamples;
	/** Changes that the start-up reported, in order of time. */
	events: StartupEvent[];
	/** Phases, in order of time: each lasts until the next begins, the last until `completedS` or
	 * the end of the run. */
	phases: Phase[];
}

/** The sender's state after each segment or timer that it processed. */
export interface SenderSamples {
	timeS: Float64Array;
	ackedBytes: Float64Array;
	cwndBytes: Float64Array;
	/** NaN: not set. */
	ssthreshBytes: Float64Array;
	inflightBytes: Float64Array;
	/** NaN: not paced. */
	pacingBytesPerS: Float64Array;
	/** Bytes acknowledged in the last round trip, per second. */
	deliveryBytesPerS: Float64Array;
	/** Smoothed RTT; NaN before the first sample. */
	srttS: Float64Array;
}

/** The sender's RTT samples, one for each ACK of new data. */
export interface RttSamples {
	timeS: Float64Array;
	rttS: Float64Array;
	/** The smallest sample so far. */
	minRttS: Float64Array;
}

/** Data segments as they arrive at the bottleneck. */
export interface SegmentSamples {
	timeS: Float64Array;
	startByte: Float64Array;
	lengthBytes: Uint32Array;
	/** 1: a retransmission. */
	retransmission: Uint8Array;
	/** 1: dropped there. */
	dropped: Uint8Array;
}

/** What the receiver's application has read, in order. */
export interface ReceiverSamples {
	timeS: Float64Array;
	receivedBytes: Float64Array;
}

export interface StartupEvent {
	timeS: number;
	/** `connections`: the application changed their number. */
	kind: "phase" | "estimate" | "exit" | "connections";
	/** Name of the phase or of the exit reason, as in records. */
	what: string;
	/** The same as a sentence for people. */
	words: string;
	/** Bandwidth estimate in payload; NaN before the first. */
	estimateBytesPerS: number;
	cwndBytes: number;
	/** NaN: none. */
	ssthreshBytes: number;
	/** NaN: not paced. */
	pacingBytesPerS: number;
	/** The remembered BDP that it began with; NaN: none. */
	rememberedBytes: number;
}

export interface Phase {
	beginS: number;
	endS: number;
	/** As in records, for example `slow-start`. */
	name: string;
	/** For people, for example "Slow start". */
	words: string;
}

/** A file that the user saves. */
export interface ExportedFile {
	name: string;
	/** Media type. */
	type: string;
	bytes: Uint8Array;
}

/**
 * `json`, `csv`: the records of all cases. The others are of one case: `acks` (a CSV line for each
 * ACK), `pcapng` (all flows), `qlog` (the first measured connection), `svg` (its figure).
 */
export type ExportFormat = "json" | "csv" | "acks" | "pcapng" | "qlog" | "svg";

/** A mistake in the scenario, or the reason why it was not run to its end. */
export interface Fault {
	message: string;
	/** From 1; not set: the whole scenario. */
	line?: number;
	/** From 1, in characters. */
	column?: number;
	/** What to do. */
	help?: string;
}

/** Answer of `Engine.check`. */
export interface Check {
	/** No faults: the scenario can run here. */
	faults: Fault[];
	/** Cases of the scenario; 0 with faults. */
	cases: number;
	/** `name` of the scenario; empty with faults. */
	name: string;
}

/** How far a run is. */
export interface Progress {
	/** From 0 to 1, of all cases. */
	fraction: number;
	/** The case that runs, from 1. */
	case: number;
	cases: number;
	/** Simulated time in this case. */
	simulatedS: number;
	/** Packets sent in this case. */
	packets: number;
}

/** What the page's thread sends to the worker. */
export type Request =
	| { kind: "describe"; id: number }
	| { kind: "check"; id: number; scenario: string }
	| { kind: "run"; id: number; scenario: string }
	| { kind: "times"; id: number; scenario: string; run: number }
	| { kind: "export"; id: number; scenario: string; format: ExportFormat; case: number };

/** What the worker answers. */
export type Reply =
	| { kind: "ready" }
	| { kind: "broken"; message: string }
	| { kind: "progress"; id: number; progress: Progress }
	| { kind: "facts"; id: number; facts: Facts }
	| { kind: "checked"; id: number; check: Check }
	| { kind: "done"; id: number; run: Run }
	| { kind: "timed"; id: number; timesS: number[] }
	| { kind: "file"; id: number; file: ExportedFile }
	| { kind: "refused"; id: number; faults: Fault[] }
	/** The module is in no state to continue: the client starts another worker. */
	| { kind: "crashed"; id: number; message: string };
