/** Starts the entry of a host as the host would, asks for its tools, and ends it. */
import { parse } from "node:path";
import { AuthorizationError } from "tenon/auth";
import { connect } from "tenon/client";
import { ServerReader, cleanLine, describeProblem, toCommonEntry } from "tenon/internal";
import type { ServerConfig } from "tenon/node";
import { explainUnreachable } from "../connection/unreachable.ts";
import { clientInfo } from "../version.ts";
import type { Host, Machine } from "./host.ts";

export type EntryState =
  | { readonly starts: true; readonly server: string | undefined; readonly tools: number; readonly ms: number }
  | { readonly starts: false; readonly why: string };

export interface TryOptions {
  readonly machine: Machine;
  /** The folder in which the host starts the server; undefined if that is not defined, so that it must work in any. */
  readonly folder: string | undefined;
  /** Milliseconds for all of it. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** What a program with a window has as `PATH`: nothing that the profile of a shell adds. */
export const WINDOW_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/** Never rejects, but for Ctrl-C. */
export async function tryEntry(host: Host, entry: unknown, options: TryOptions): Promise<EntryState> {
  const { machine, folder, signal } = options;
  const variables = { env: machine.env, given: { workspaceFolder: folder ?? machine.home }, folder: folder ?? machine.home };
  const reader = new ServerReader("", toCommonEntry(entry, machine.env), variables);
  const config = reader.read()?.config;
  if (config === undefined)
    return { starts: false, why: reader.problems.map(({ server: _server, ...problem }) => describeProblem(problem)).join("; ") };
  try {
    return await talkTo(asHostStarts(host, config, options), options);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AuthorizationError) return { starts: true, server: undefined, tools: 0, ms: 0 };
    return { starts: false, why: cleanLine(explainUnreachable(error)) };
  }
}

function asHostStarts(host: Host, config: ServerConfig, { machine, folder }: TryOptions): ServerConfig {
  if (config.type !== "stdio") return config;
  const path = host.hasWindow && machine.platform !== "win32" ? { PATH: WINDOW_PATH } : {};
  return { ...config, env: { ...path, ...config.env }, cwd: config.cwd ?? folder ?? parse(machine.home).root };
}

async function talkTo(config: ServerConfig, { timeout, signal }: TryOptions): Promise<EntryState> {
  const begin = performance.now();
  const target = config.type === "stdio" ? { ...config, stderr: "pipe" as const, timeouts: { start: timeout } } : config;
  const client = await connect(target, {
    clientInfo: clientInfo(),
    timeout,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
  });
  try {
    let tools = 0;
    if (client.serverCapabilities.tools !== undefined) for await (const _ of client.tools({ signal })) tools++;
    return { starts: true, server: client.serverInfo?.name, tools, ms: Math.round(performance.now() - begin) };
  } finally {
    await client.close();
  }
}
