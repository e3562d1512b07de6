/** The servers that tasks are for, connected: what the command line names, or the file; one server, or all of a configuration. */
import { connect, type Client } from "tenon/client";
import { ClientSessionGroup } from "tenon/group";
import { isServable, readConfig } from "tenon/internal";
import type { Tool } from "tenon";
import type { ToolSource } from "tenon/models";
import { withServer } from "../connection/connection.ts";
import { serversIn } from "../connection/typed-server.ts";
import { Consent } from "../consent/consent.ts";
import { CannotConnectError, UsageError } from "../failure.ts";
import { programTimesOf, type Invocation } from "../invocation.ts";
import { configVariablesOf } from "../shell.ts";
import { clientInfo } from "../version.ts";
import type { Evals } from "./evals-file.ts";

export interface Offered {
  readonly source: ToolSource;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly instructions: string;
}

/** Connects, runs `use`, and closes. @throws UsageError, CannotConnectError, and what `use` throws */
export async function withOffered<T>(
  evals: Evals,
  rest: readonly string[],
  invocation: Invocation,
  use: (offered: Offered) => Promise<T>,
): Promise<T> {
  const { values, words, signal } = invocation;
  const isTyped = words !== undefined || rest.length > 0 || values.config !== undefined;
  if (!isTyped && isServable(evals.server)) {
    await using client = await connect(evals.server, { clientInfo: clientInfo(), signal });
    return use(await offeredBy(client, invocation));
  }
  const config = isTyped ? values.config : evals.config;
  if (config !== undefined && rest.length === 0 && (await namesIn(config, invocation)).length !== 1)
    return withAll(config, invocation, use);
  const typed = isTyped ? rest : typeof evals.server === "string" ? [evals.server] : [];
  if (config === undefined && typed.length === 0 && words === undefined)
    throw new UsageError("The server is missing: name it after the file, with --config or after --, or as `server` in the file.");
  const own = { ...invocation, positionals: typed, values: { ...values, ...(config !== undefined && { config }) } };
  return withServer(own, [], async (client) => use(await offeredBy(client, invocation)), { onLog: () => undefined });
}

async function namesIn(config: string, { shell }: Invocation): Promise<readonly string[]> {
  return Object.keys(await serversIn(config, shell.cwd));
}

async function offeredBy(client: Client, { signal }: Invocation): Promise<Offered> {
  const tools = new Map<string, Tool>();
  if (client.serverCapabilities.tools !== undefined) for await (const tool of client.tools({ signal })) tools.set(tool.name, tool);
  if (tools.size === 0) throw new UsageError("The server has no tools, so there is nothing to pick from.");
  return { source: client, tools, instructions: client.instructions ?? "" };
}

/** All servers of a file. Their tools have the name of their server before their own. @throws CannotConnectError if one is missing */
async function withAll<T>(config: string, invocation: Invocation, use: (offered: Offered) => Promise<T>): Promise<T> {
  const { shell, signal, values } = invocation;
  const consent = new Consent(invocation).asking(config, invocation);
  const entries = await readConfig(config, configVariablesOf(shell), { cwd: shell.cwd, consent }).catch((cause: unknown) => {
    throw new UsageError((cause as Error).message, { cause }); // a configuration fails with errors
  });
  const failures = new Map<string, string>();
  await using group = await ClientSessionGroup.connect(entries, {
    clientInfo: clientInfo(),
    signal,
    readyTimeout: programTimesOf(values).total,
    onServerError: (error, name) => void failures.set(name, error.message),
  });
  const missing = [...group.servers].filter(([, { state }]) => state !== "connected").map(([name]) => name);
  if (missing.length > 0)
    throw new CannotConnectError(missing.map((name) => `${name}: ${failures.get(name) ?? "it does not respond"}`).join("; "), "");
  const instructions = [...group.sessions].map((session) => session.instructions ?? "").filter((text) => text !== "");
  return use({ source: group, tools: group.tools, instructions: instructions.join("\n\n") });
}
