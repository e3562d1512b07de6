/**
 * Figures of a cluster, measured in one run and against nodes without stores on the same machine, taking turns: only ratios, and what
 * grows, say something about another machine.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { startEngine } from "../../stores/engines.ts";
import { OpenStream, Requests } from "./requests.ts";

export interface FiguresOptions {
  readonly engine: "redis" | "postgres" | "nats";
  /** The program of a node. */
  readonly program: string;
  /** Turns of each pair, and milliseconds of a turn. */
  readonly turns: number;
  readonly turn: number;
  /** Sessions in the store, and streams that hear a change. */
  readonly sessions: number;
  readonly streams: number;
  readonly log: (line: string) => void;
}

/** All times in milliseconds, all sizes in bytes. */
export interface Figures {
  /** Calls a second with stores, divided by those without: the median of all turns. */
  readonly stateless: number;
  readonly stateful: number;
  /** Of a node that serves none of the sessions: processor time a second, and heap, after minus before they were opened. */
  readonly idle: { readonly sessions: number; readonly cpu: number; readonly heap: number };
  /** The heap of a node that has served each session once, after it has forgotten them, minus that at the start. */
  readonly served: { readonly sessions: number; readonly heap: number };
  /** From a change at one node until the last stream has heard it. */
  readonly change: { readonly streams: number; readonly median: number; readonly most: number };
}

const IN_FLIGHT = 16;
/** Milliseconds in which processor time is counted, and after which a node forgets sessions that are not used. */
const [COUNTED, FORGOTTEN] = [3_000, 75_000];
const CHANGES = 9;

/** @throws Error if the engine is not installed */
export async function measure(options: FiguresOptions): Promise<Figures> {
  const engine = await startEngine(options.engine);
  if (engine === undefined) throw new Error(`${options.engine} is not installed`);
  const requests = new Requests(IN_FLIGHT);
  const nodes: RunningNode[] = [];
  try {
    const names = [options.engine, options.engine, options.engine, "none"];
    for (const name of names) nodes.push(await RunningNode.start(options.program, name, engine.url));
    const [a, b, c, alone] = nodes.map(({ port }) => port) as [number, number, number, number];
    const stateless = await paired(options, [a, alone], (port) => () => requests.stateless(port));
    options.log(`stateless calls with stores: ${stateless.toFixed(2)} of memory`);
    const stateful = await paired(options, [a, alone], async (port) => {
      const sessions = await Promise.all(Array.from({ length: IN_FLIGHT }, () => requests.open(port)));
      let turn = 0;
      return () => requests.call(port, sessions[turn++ % IN_FLIGHT]!);
    });
    options.log(`stateful calls, ${IN_FLIGHT} in flight: ${stateful.toFixed(2)} of memory`);
    const change = await changeTime(options, [a, b, c]);
    options.log(`a change reaches ${change.streams} streams on three nodes in ${change.median} ms (median), ${change.most} ms (most)`);
    const { idle, served } = await manySessions(options, requests, [a, b]);
    options.log(`${idle.sessions} idle sessions cost another node ${idle.cpu} ms of processor time a second, ${idle.heap} bytes of heap`);
    options.log(`the node that opened them has ${served.heap} bytes of heap more afterwards`);
    return { stateless, stateful, idle, served, change };
  } finally {
    requests.close();
    await Promise.all(nodes.map((node) => node.stop()));
    await engine.stop();
  }
}

// ---- calls ----

type Work = () => Promise<unknown>;

/** The ratio of what two nodes do in the same time, in turns: the median. */
async function paired(
  { turns, turn }: FiguresOptions,
  ports: readonly [number, number],
  workOf: (port: number) => Work | Promise<Work>,
): Promise<number> {
  const [first, second] = [await workOf(ports[0]), await workOf(ports[1])];
  for (const work of [first, second]) await countIn(work, turn); // compiles the code
  const ratios: number[] = [];
  for (let count = 0; count < turns; count++) {
    const order = count % 2 === 0 ? [first, second] : [second, first];
    const counts = [await countIn(order[0]!, turn), await countIn(order[1]!, turn)];
    ratios.push(count % 2 === 0 ? counts[0]! / counts[1]! : counts[1]! / counts[0]!);
  }
  return medianOf(ratios);
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
  { sessions }: FiguresOptions,
  requests: Requests,
  [opening, other]: readonly [number, number],
): Promise<Pick<Figures, "idle" | "served">> {
  const before = { own: await requests.usage(opening), other: await idleUsage(requests, other) };
  let left = sessions;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await requests.open(opening);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const after = await idleUsage(requests, other);
  await sleep(FORGOTTEN);
  const own = await requests.usage(opening);
  const cpu = Math.round((after.cpu - before.other.cpu) * 10) / 10;
  return {
    idle: { sessions, cpu, heap: after.heap - before.other.heap },
    served: { sessions, heap: own.heap - before.own.heap },
  };
}

/** Milliseconds of processor time in a second in which nothing is asked, and the heap. */
async function idleUsage(requests: Requests, port: number): Promise<{ cpu: number; heap: number }> {
  const before = await requests.usage(port);
  await sleep(COUNTED);
  const { cpu, heap } = await requests.usage(port);
  return { cpu: (cpu - before.cpu) / COUNTED, heap };
}

// ---- changes ----

async function changeTime({ streams: count }: FiguresOptions, ports: readonly [number, number, number]): Promise<Figures["change"]> {
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
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(program: string, engine: string, url: string): Promise<RunningNode> {
    const child = spawn(process.execPath, ["--expose-gc", program, engine, url], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface(child.stdout)) return new RunningNode(child, Number(line));
    throw new Error(`A node ended with ${child.exitCode}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
