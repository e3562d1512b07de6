/** `tenon record <server>`: passes the messages of clients and a server on, and writes the recording. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { JSONRPCMessage } from "tenon";
import { isJsonObject, signalGroup, jsonIn } from "tenon/internal";
import { portMistake } from "../commands/run-options.ts";
import { assertFitting } from "../connection/connection.ts";
import { outputsOn } from "../connection/server-output.ts";
import type { ServerCommand } from "../connection/target.ts";
import { serverOf } from "../connection/typed-server.ts";
import { UsageError } from "../failure.ts";
import { sessionText } from "../inspector/target/recording.ts";
import { environmentOf, headersOf, portOf, type Invocation } from "../invocation.ts";
import { relayHttp } from "./http-relay.ts";
import { readLines } from "./lines.ts";
import { SessionReader } from "./session-reader.ts";

/** @throws UsageError if the server cannot be named or started */
export async function recordSession(invocation: Invocation): Promise<undefined> {
  const { values, shell, terminal } = invocation;
  if (values.faults !== undefined || values.seed !== undefined)
    throw new UsageError("--faults goes with --serve: record first, and serve the file.");
  const { server, values: all } = await serverOf(invocation, []);
  assertFitting(server, all);
  const path = resolve(shell.cwd, values.output ?? "recording.json");
  const reader = new SessionReader();
  const keeper = new FileKeeper(path, reader, { ...headersOf(all), ...environmentOf(all, shell.env) });
  if ("url" in server) {
    await overHttp(new URL(server.url), keeper, { ...invocation, values: all });
  } else {
    if (values.port !== undefined || values.http === true)
      throw new UsageError("A command is recorded on stdin and stdout. Start it with a port, and give its URL.");
    await onStdio(server, keeper, { ...invocation, values: all });
  }
  await keeper.end();
  terminal.note(
    `${reader.count} ${reader.count === 1 ? "step" : "steps"} in ${values.output ?? "recording.json"}. To serve it: tenon record --serve ${values.output ?? "recording.json"}`,
  );
  return undefined;
}

/** Shows messages to the reader, and writes the file after each that changes it: a host may end the command at any time. */
class FileKeeper {
  readonly #path: string;
  readonly #reader: SessionReader;
  readonly #given: Readonly<Record<string, string>>;
  #written = "";
  #writing: Promise<void> | undefined;

  /** @param given headers and variables that the server gets: a server may repeat them */
  constructor(path: string, reader: SessionReader, given: Readonly<Record<string, string>>) {
    this.#path = path;
    this.#reader = reader;
    this.#given = given;
  }

  readonly fromClient = (message: unknown, session?: string): void => {
    for (const one of messagesIn(message)) this.#reader.fromClient(one, session);
  };

  readonly fromServer = (message: unknown, session?: string): void => {
    for (const one of messagesIn(message)) this.#reader.fromServer(one, session);
    this.#writing ??= this.#write();
  };

  /** Resolves when all is written. */
  async end(): Promise<void> {
    await this.#writing;
    await this.#write();
  }

  async #write(): Promise<void> {
    try {
      const textOf = (): string => sessionText(this.#reader.file, this.#given);
      for (let text = textOf(); text !== this.#written; text = textOf()) {
        await writeFile(this.#path, text);
        this.#written = text;
      }
    } catch (cause) {
      throw new UsageError(`${this.#path} cannot be written: ${(cause as NodeJS.ErrnoException).code ?? String(cause)}.`, { cause });
    } finally {
      this.#writing = undefined;
    }
  }
}

function messagesIn(value: unknown): readonly JSONRPCMessage[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one): one is JSONRPCMessage => isMessage(one));
}

function isMessage(value: unknown): boolean {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return false;
  return "method" in value ? typeof value["method"] === "string" : "id" in value; // a server may send anything
}

/** Runs the command between its own stdin and stdout, byte for byte, until one side ends. */
async function onStdio({ command, args, cwd }: ServerCommand, keeper: FileKeeper, { shell, terminal, values }: Invocation): Promise<void> {
  const env = { ...shell.env, ...environmentOf(values, shell.env) };
  const child = spawn(command, [...args], {
    cwd: cwd ?? shell.cwd,
    env,
    detached: process.platform !== "win32",
    stdio: ["pipe", "pipe", "pipe"],
  });
  const releases = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((name) => shell.onSignal(name, () => void signalGroup(child, "SIGTERM")));
  child.stdin.on("error", () => undefined); // the server may end first
  const output = outputsOn(terminal)();
  child.stderr.on("data", (chunk: Buffer) => output.write(chunk));
  shell.stdin.pipe(child.stdin);
  child.stdout.on("data", (chunk: Buffer) => void shell.stdout.write(chunk));
  void readLines(shell.stdin, (line) => keeper.fromClient(jsonIn(line)));
  const read = readLines(child.stdout, (line) => keeper.fromServer(jsonIn(line)));
  try {
    await Promise.race([
      once(child, "close"),
      once(child, "error").then(([cause]: unknown[]) => {
        throw new UsageError(`${command} cannot be started: ${(cause as Error).message}`, { cause });
      }),
    ]);
    await read;
  } finally {
    for (const release of releases) release();
    output.end();
    shell.stdin.destroy();
  }
}

/** Serves a URL of this machine in the place of the server's, until Ctrl-C. */
async function overHttp(target: URL, keeper: FileKeeper, { values, shell, terminal }: Invocation): Promise<void> {
  const port = portOf(values) ?? 3_000;
  const hooks = { onClient: keeper.fromClient, onServer: keeper.fromServer };
  const relay = await relayHttp({ target, headers: headersOf(values), port, ...hooks }).catch((cause: unknown) => {
    throw portMistake(cause, port) ?? cause;
  });
  const releases: (() => void)[] = [];
  try {
    const ended = new Promise<void>((resolve) => {
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) releases.push(shell.onSignal(name, resolve));
    });
    terminal.note(`Recording ${target.host} at ${relay.url}, until Ctrl-C. Give your client this URL.`);
    await ended;
  } finally {
    for (const release of releases) release();
    await relay.close();
  }
}
