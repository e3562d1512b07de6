/**
 * Figures of a cluster, measured in one run and against nodes without stores on the same machine, taking turns: only ratios, and
 * what grows, say something about another machine.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { startEngine, type Engine } from "../../../packages/tenon/test/stores/engines.ts";
import { untilAborted } from "../until-aborted.ts";
import { commandsPerRequest, type Commands } from "./commands.ts";
import { engineUsage, type EngineName, type EngineUsage } from "./engine-usage.ts";
import { OpenStream, Requests, type SessionHeaders } from "./requests.ts";

export interface FiguresOptions {
  readonly engine: EngineName;
  /** The program of a node. */
  readonly program: string;
  /** Turns of each pair, and milliseconds of a turn. */
  readonly turns: number;
  readonly turn: number;
  /** Sessions in the store, and streams that hear a change. */
  readonly sessions: number;
  readonly streams: number;
  readonly log: (line: string) => void;
  /** Ends the run, and all processes that it has started. */
  readonly signal: AbortSignal;
}

/** All times in milliseconds, all sizes in bytes. */
export interface Figures {
  readonly stateless: Ratio;
  /** Of calls of 16 sessions in turn: a node reads what it knows of each once a second. */
  readonly stateful: Ratio;
  /** What requests ask of the engine; missing for NATS, which does not count it. */
  readonly commands?: Commands;
  /** Of a node that serves none of the sessions: processor time a second, and heap, after minus before they were opened. */
  readonly idle: { readonly sessions: number; readonly cpu: number; readonly heap: number };
  /** What a session takes in the engine. */
  readonly stored: { readonly sessions: number; readonly bytes: number };
  /** The heap of a node that has served each session once, after it has forgotten them, minus that at the start. */
  readonly served: { readonly sessions: number; readonly heap: number };
  /** From a change at one node until the last stream has heard it. */
  readonly change: { readonly streams: number; readonly median: number; readonly most: number };
}

/** A node with stores, divided by one without, in the same time on the same machine: the median of all turns. */
export interface Ratio {
  /**
   * Calls a second. The client is a process of the same machine and works about as much as a node does for a call, so this ratio
   * hides a part of what stores cost.
   */
  readonly calls: number;
  /** Processor time of the node for a call: what stores cost the node itself. */
  readonly cpu: number;
}

const IN_FLIGHT = 16;
/**
 * Sessions that are opened at once. The engine writes those of one moment to the disk together, so the more at once, the more in
 * a second.
 */
const OPENED_AT_ONCE = 256;
/**
 * Parts of the sessions after which the log says how far it is; and how many of them are called in the end, to see that all are
 * there.
 */
const [STEPS, SAMPLES] = [10, 100];
/** Milliseconds in which processor time is counted, and after which a node forgets sessions that are not used. */
const [COUNTED, FORGOTTEN] = [3_000, 75_000];
const CHANGES = 9;

/** @throws Error if the engine is not installed; the reason of `signal` if it aborts */
export async function measure(options: FiguresOptions): Promise<Figures> {
  const engine = await startEngine(options.engine);
  if (engine === undefined) throw new Error(`${options.engine} is not installed`);
  const nodes: RunningNode[] = [];
  try {
    return await untilAborted(figuresOf(options, engine, nodes), options.signal);
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await engine.stop();
  }
}

/** `nodes` gets the nodes that were started. */
async function figuresOf(options: FiguresOptions, engine: Engine, nodes: RunningNode[]): Promise<Figures> {
  const requests = new Requests(IN_FLIGHT);
  try {
    const names = [options.engine, options.engine, options.engine, "none"];
    const ports: number[] = [];
    for (const name of names) {
      options.signal.throwIfAborted();
      nodes.push(new RunningNode(options.program, name, engine.url));
      ports.push(await nodes.at(-1)!.port());
    }
    const [a, b, c, alone] = ports as [number, number, number, number];
    const pair = { ...options, requests, ports: [a, alone] as const };
    const stateless = await paired(pair, (port) => () => requests.stateless(port));
    options.log(`stateless calls with stores, of those without: ${textOf(stateless)}`);
    const stateful = await paired(pair, async (port) => {
      const sessions = await Promise.all(Array.from({ length: IN_FLIGHT }, () => requests.open(port)));
      let turn = 0;
      return () => requests.call(port, sessions[turn++ % IN_FLIGHT]!);
    });
    options.log(`stateful calls, ${IN_FLIGHT} in flight, of those without: ${textOf(stateful)}`);
    const usage = (): ReturnType<typeof engineUsage> => engineUsage(options.engine, engine.url);
    const commands = options.engine === "nats" ? undefined : await commandsPerRequest(requests, [b, c], usage);
    if (commands !== undefined) options.log(`commands for a request: ${JSON.stringify(commands)}`);
    const change = await changeTime(options, [a, b, c]);
    options.log(
      `a change reaches ${change.streams} streams on three nodes in ${change.median} ms (median), ${change.most} ms (most)`,
    );
    const before = await usage();
    const { idle, served, after } = await manySessions(options, requests, [a, b], usage);
    const stored = { sessions: options.sessions, bytes: Math.round((after.bytes - before.bytes) / options.sessions) };
    options.log(`a session takes ${stored.bytes} bytes in the engine`);
    options.log(
      `${idle.sessions} idle sessions cost another node ${idle.cpu} ms of processor time a second, ${idle.heap} bytes of heap`,
    );
    options.log(`the node that opened them has ${served.heap} bytes of heap more after ${FORGOTTEN / 1_000} s without requests`);
    return { stateless, stateful, ...(commands && { commands }), idle, stored, served, change };
  } finally {
    requests.close();
  }
}

// ---- calls ----

type Work = () => Promise<unknown>;

interface Pair extends FiguresOptions {
  readonly requests: Requests;
  /** A node with stores, and one without. */
  readonly ports: readonly [number, number];
}

/** Compares two nodes that take turns, each turn in the other order. */
async function paired(pair: Pair, workOf: (port: number) => Work | Promise<Work>): Promise<Ratio> {
  const [first, second] = [await workOf(pair.ports[0]), await workOf(pair.ports[1])];
  for (const work of [first, second]) await countIn(work, pair.turn); // compiles the code
  const ratios: Ratio[] = [];
  for (let count = 0; count < pair.turns; count++) {
    const isFirst = count % 2 === 0;
    const one = await turnOf(pair, isFirst ? [pair.ports[0], first] : [pair.ports[1], second]);
    const other = await turnOf(pair, isFirst ? [pair.ports[1], second] : [pair.ports[0], first]);
    const [stores, none] = isFirst ? [one, other] : [other, one];
    ratios.push({ calls: stores.calls / none.calls, cpu: stores.cpu / none.cpu });
  }
  return { calls: medianOf(ratios.map(({ calls }) => calls)), cpu: medianOf(ratios.map(({ cpu }) => cpu)) };
}

/** How many calls a node serves in one turn, and its processor time for each. */
async function turnOf({ requests, turn }: Pair, [port, work]: readonly [number, Work]): Promise<Ratio> {
  const before = await requests.usage(port);
  const calls = await countIn(work, turn);
  const { cpu } = await requests.usage(port);
  return { calls, cpu: (cpu - before.cpu) / calls };
}

function textOf({ calls, cpu }: Ratio): string {
  return `${calls.toFixed(2)} of the calls a second, ${cpu.toFixed(2)} of the processor time for a call`;
}

/** How often work is done in `ms` milliseconds. */
async function countIn(work: Work, ms: number): Promise<number> {
  const end = performance.now() + ms;
  let count = 0;
  const worker = async (): Promise<void> => {
    for (; performance.now() < end; count++) await work();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return count;
}

// ---- sessions ----

async function manySessions(
  { sessions, log }: FiguresOptions,
  requests: Requests,
  [opening, other]: readonly [number, number],
  usage: () => Promise<EngineUsage>,
): Promise<Pick<Figures, "idle" | "served"> & { readonly after: EngineUsage }> {
  const before = { own: await requests.usage(opening), other: await idleUsage(requests, other) };
  const sample = await openMany(sessions, opening, async (opened) => {
    const [own, elsewhere] = [await requests.usage(opening), await requests.usage(other)];
    const heaps = [own.heap - before.own.heap, elsewhere.heap - before.other.heap].map((bytes) => Math.round(bytes / 1024));
    log(`${opened} sessions are open: heap of the node that opens them ${heaps[0]} KiB more, of another ${heaps[1]} KiB`);
  });
  const after = await idleUsage(requests, other);
  const engine = await usage();
  await sleep(FORGOTTEN);
  const own = await requests.usage(opening);
  for (const session of sample) await requests.call(other, session); // fails if the store has lost one
  const cpu = Math.round((after.cpu - before.other.cpu) * 10) / 10;
  return {
    idle: { sessions, cpu, heap: after.heap - before.other.heap },
    served: { sessions, heap: own.heap - before.own.heap },
    after: engine,
  };
}

/** Opens sessions at a node. Returns the headers of some, evenly spread over all. */
async function openMany(count: number, port: number, onStep: (opened: number) => Promise<void>): Promise<SessionHeaders[]> {
  const requests = new Requests(OPENED_AT_ONCE);
  const sample: SessionHeaders[] = [];
  const [step, every] = [Math.ceil(count / STEPS), Math.ceil(count / SAMPLES)];
  let [begun, opened] = [0, 0];
  const worker = async (): Promise<void> => {
    while (begun < count) {
      const isSample = begun++ % every === 0;
      const session = await requests.open(port);
      if (isSample) sample.push(session);
      if (++opened % step === 0) await onStep(opened);
    }
  };
  try {
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, worker));
    return sample;
  } finally {
    requests.close();
  }
}

/** Milliseconds of processor time in a second in which nothing is asked, and the heap. */
async function idleUsage(requests: Requests, port: number): Promise<{ cpu: number; heap: number }> {
  const before = await requests.usage(port);
  await sleep(COUNTED);
  const { cpu, heap } = await requests.usage(port);
  return { cpu: (cpu - before.cpu) / COUNTED, heap };
}

// ---- changes ----

async function changeTime(
  { streams: count }: FiguresOptions,
  ports: readonly [number, number, number],
): Promise<Figures["change"]> {
  const streams: OpenStream[] = [];
  const requests = new Requests(1);
  try {
    while (streams.length < count) streams.push(await OpenStream.open(ports[streams.length % ports.length]!));
    const times: number[] = [];
    for (let change = 0; change < CHANGES; change++) {
      const heard = Promise.all(streams.map((stream) => stream.changed()));
      const began = performance.now();
      await requests.stateless(ports[0], "change");
      await heard;
      times.push(Math.round(performance.now() - began));
      await sleep(200); // no change is coalesced with the next one
    }
    return { streams: count, median: medianOf(times), most: Math.max(...times) };
  } finally {
    requests.close();
    for (const stream of streams) stream.close();
  }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

// ---- nodes ----

class RunningNode {
  readonly #child: ChildProcess;

  constructor(program: string, engine: string, url: string) {
    this.#child = spawn(process.execPath, ["--expose-gc", program, engine, url], { stdio: ["ignore", "pipe", "inherit"] });
  }

  /** Where it serves, once it does. */
  async port(): Promise<number> {
    for await (const line of createInterface(this.#child.stdout!)) return Number(line);
    throw new Error(`A node ended with ${this.#child.exitCode}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
