/** `tenon record --serve`: a recording as a server, on stdio or over HTTP, whole or with faults. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { PassThrough } from "node:stream";
import { isJsonObject, jsonIn } from "tenon/internal";
import { serveHttp, serveStdio } from "tenon/node";
import type { McpServer } from "tenon/server";
import { runHttp } from "../commands/run.ts";
import { portMistake } from "../commands/run-options.ts";
import { UsageError } from "../failure.ts";
import type { SessionFile } from "../inspector/target/recording.ts";
import { portOf, type Invocation } from "../invocation.ts";
import { Faults, FaultyCalls, faultsIn, seedIn, type Fault } from "./faults.ts";
import { relayHttp } from "./http-relay.ts";
import { readLines } from "./lines.ts";
import { replayedServer } from "./replayed-server.ts";

/** @throws UsageError if the file is something else, or options do not fit */
export async function serveRecording(invocation: Invocation): Promise<undefined> {
  const { values, shell, terminal, positionals, words } = invocation;
  if (positionals.length > 0 || words !== undefined) throw new UsageError("--serve takes no server: the recording is the server.");
  if (values.seed !== undefined && values.faults === undefined) throw new UsageError("--seed goes with --faults.");
  if (values.port !== undefined && values.http !== true) throw new UsageError("--port goes with --http.");
  const file = values.serve ?? "";
  const server = replayedServer(await readSession(file, shell.cwd));
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : seedIn(values.seed);
  const calls = values.faults === undefined ? undefined : new FaultyCalls(new Faults(faultsIn(values.faults), seed));
  if (calls !== undefined) terminal.note(`Faults: ${values.faults}; the same again: --seed ${seed}`);
  if (values.http === true)
    await (calls === undefined ? runHttp(server, { file, port: portOf(values) }, invocation) : faultyHttp(server, calls, invocation));
  else await faultyStdio(server, calls, invocation);
  return undefined;
}

export async function readSession(file: string, cwd: string): Promise<SessionFile> {
  const text = await readFile(resolve(cwd, file), "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read: ${cause.code ?? cause.message}. Write one first: tenon record -o ${file} -- <command>`, {
      cause,
    });
  });
  const value = jsonIn(text);
  if (isSession(value)) return value;
  throw new UsageError(`${file} is not a recording that tenon record or the page of tenon inspect wrote.`);
}

function isSession(value: unknown): value is SessionFile {
  if (!isJsonObject(value) || value["recording"] !== 1 || !isJsonObject(value["server"]) || !isJsonObject(value["capabilities"]))
    return false;
  const { lists, steps, server } = value;
  if (typeof server["name"] !== "string" || typeof server["version"] !== "string" || !isJsonObject(lists)) return false;
  const areLists = ["tools", "resources", "resourceTemplates", "prompts"].every((name) => isListOfObjects(lists[name]));
  return areLists && isListOfObjects(steps) && (steps as JsonSteps).every(isStep);
}

type JsonSteps = readonly { readonly [key: string]: unknown }[];

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isJsonObject);
}

function isStep({ op, name, params, answers }: JsonSteps[number]): boolean {
  return typeof op === "string" && typeof name === "string" && isJsonObject(params) && isListOfObjects(answers);
}

/** Serves until stdin ends, or a fault closes the connection. */
async function faultyStdio(server: McpServer, calls: FaultyCalls | undefined, { shell }: Invocation): Promise<void> {
  const { stdin, stdout } = shell;
  const stop = new AbortController();
  const releases = (["SIGINT", "SIGTERM"] as const).map((name) => shell.onSignal(name, () => stop.abort()));
  const [input, output] = [new PassThrough(), new PassThrough()];
  const write = (text: string): void => void (stop.signal.aborted || stdout.write(text));
  void readLines(stdin, (line) => {
    calls?.sent(jsonIn(line));
    input.write(`${line}\n`);
  }).then(() => input.end());
  void readLines(output, (line) => applyTo(line, calls?.of(line), { write, close: () => stop.abort() }));
  try {
    await serveStdio(server, { stdin: input, stdout: output, signal: stop.signal });
  } finally {
    for (const release of releases) release();
    stdin.destroy();
  }
}

interface Channel {
  readonly write: (text: string) => void;
  readonly close: () => void;
}

function applyTo(line: string, fault: Fault | undefined, { write, close }: Channel): void {
  if (fault === undefined) write(`${line}\n`);
  else if (fault.kind === "late") setTimeout(() => write(`${line}\n`), fault.ms);
  else if (fault.kind === "wrong") write(`${fault.text}\n`);
  else if (fault.kind === "cut") write(`${line.slice(0, Math.ceil(line.length / 2))}\n`);
  else close();
}

/** Serves over HTTP until Ctrl-C: a relay in front of the server applies the faults. */
async function faultyHttp(server: McpServer, calls: FaultyCalls, { values, signal, terminal }: Invocation): Promise<void> {
  const port = portOf(values) ?? 3_000;
  await using inner = await serveHttp(server, { port: 0 });
  const relay = await relayHttp({
    target: new URL(inner.url),
    port,
    onClient: (message, session) => calls.sent(message, session),
    faultOf: (text, session) => calls.of(text, session),
  }).catch((cause: unknown) => {
    throw portMistake(cause, port) ?? cause;
  });
  try {
    terminal.note(`Serving ${values.serve} with faults at ${relay.url}. To try it: npx tenon list ${relay.url}`);
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await relay.close();
  }
}
