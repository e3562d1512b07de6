/** Starts the program of a server and connects one client to it: on its standard streams, or at the URL where it serves. */
import { spawn } from "node:child_process";
import { type Client, type ConnectOptions, connect } from "tenon/client";
import type { TextSink } from "tenon/node";
import { sleep, systemClock } from "tenon/internal";
import type { ServerCommand } from "../../connection/target.ts";
import { clientInfo } from "../../version.ts";

export interface Served {
  readonly program: ServerCommand;
  /** Where it serves over HTTP; undefined for stdio. */
  readonly url: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds for each answer, and for a program of HTTP until it serves. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

type Revision = NonNullable<ConnectOptions["revision"]>;

/** Milliseconds between attempts to reach a program that has just been started. */
const PACE = 100;

/** Runs `use` with a client. @throws what `connect` throws, and what `use` throws */
export async function withClient<T>(served: Served, revision: Revision, use: (client: Client) => Promise<T>): Promise<T> {
  return served.url === undefined ? onStdio(served, revision, use) : overHttp(served, served.url, revision, use);
}

function optionsOf({ timeout, signal }: Served, revision: Revision): ConnectOptions {
  return { revision, timeout, signal, clientInfo: clientInfo(), cacheResponses: false, validateOutput: false, onError: () => undefined };
}

async function onStdio<T>(served: Served, revision: Revision, use: (client: Client) => Promise<T>): Promise<T> {
  const { program, env } = served;
  const output = new Tail();
  const client = await connect({ ...program, env, stderr: output }, optionsOf(served, revision)).catch((cause: unknown) => {
    throw output.explain(cause);
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

class Tail implements TextSink {
  static readonly #KEPT = 2_000;
  #text = "";

  write(chunk: Uint8Array): void {
    this.#text = (this.#text + Buffer.from(chunk).toString("utf8")).slice(-Tail.#KEPT);
  }

  /** The failure of a connection, with the line that says why the program ended. */
  explain(cause: unknown): Error {
    const lines = this.#text.split("\n").filter((line) => line.trim() !== "");
    const why = lines.findLast((line) => /^\w*(?:Error|Exception)\b/.test(line)) ?? lines.at(-1);
    const message = cause instanceof Error ? cause.message : String(cause);
    return why === undefined && cause instanceof Error ? cause : new Error(`${message}. It wrote: ${why}`, { cause });
  }
}

async function overHttp<T>(served: Served, url: string, revision: Revision, use: (client: Client) => Promise<T>): Promise<T> {
  const { program, env } = served;
  const child = spawn(program.command, program.args, { cwd: program.cwd, env: { ...process.env, ...env }, stdio: "ignore" });
  const ended = new Promise<never>((_, reject) => {
    child.on("error", reject).on("exit", (code, by) => reject(new Error(`The program ended with ${by ?? code} before it was asked`)));
  });
  ended.catch(() => undefined);
  const closed = new Promise((resolve) => child.on("close", resolve).on("error", resolve));
  try {
    const client = await Promise.race([ended, reached(served, url, revision)]);
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  } finally {
    child.kill();
    await closed;
  }
}

/** Connects as soon as the program serves. @throws what the last attempt threw */
async function reached(served: Served, url: string, revision: Revision): Promise<Client> {
  const until = performance.now() + served.timeout;
  for (;;) {
    try {
      return await connect({ url }, optionsOf(served, revision));
    } catch (error) {
      if (served.signal.aborted || performance.now() > until) throw error;
    }
    await sleep(systemClock, PACE, served.signal);
  }
}
