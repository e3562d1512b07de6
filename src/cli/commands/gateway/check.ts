/** `tenon gateway check`: connects to each server of a configuration file, and says what it offers or what is wrong. */
import { connect } from "../../../client/connect.ts";
import type { Client } from "../../../client/client.ts";
import { createGateway } from "../../../gateway/gateway.ts";
import { loadConfig } from "../../../node/config/load-config.ts";
import type { ServerEntry } from "../../../group/servers/server-source.ts";
import type { Invocation, Outcome } from "../../invocation.ts";
import { Consent } from "./consent.ts";

/** What one server offers, or why it cannot be reached. */
interface CheckedServer {
  readonly server: string;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly problem?: string;
}

/** @throws ServerConfigError with all faults of the file, by line, server and field; UsageError if the user does not agree to start its programs */
export async function checkConfig(file: string, invocation: Invocation): Promise<Outcome> {
  const { signal } = invocation;
  const warnings: string[] = [];
  const servers = await loadConfig(file, { onWarning: (warning) => warnings.push(warning) });
  await new Consent(invocation).assertFor(servers, file, invocation);
  await createGateway({ servers }).close(); // names that collide are found here
  const checked = await Promise.all(Object.entries(servers).map(([name, entry]) => check(name, entry, signal)));
  const foundFaults = checked.some(({ problem }) => problem !== undefined);
  return { json: { servers: checked, warnings }, foundFaults, text: () => [...checked.map(lineOf), ...warnings].join("\n") };
}

/** Asks one server through a gateway of its own, so that the others do not matter. */
async function check(server: string, entry: ServerEntry, signal: AbortSignal): Promise<CheckedServer> {
  let problem: string | undefined;
  const onError = (error: Error): void => void (problem ??= error.message);
  await using gateway = createGateway({ servers: { [server]: entry }, readyTimeout: Infinity, onError });
  await using client = await connect(gateway, { timeout: Infinity, maxTotalTimeout: Infinity, signal });
  const lists = { tools: await toolsOf(client), prompts: await promptsOf(client), resources: await resourcesOf(client) };
  return { server, ...lists, ...(problem !== undefined && { problem }) };
}

async function toolsOf(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.tools()) names.push(name);
  return names;
}

async function promptsOf(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.prompts()) names.push(name);
  return names;
}

async function resourcesOf(client: Client): Promise<string[]> {
  const uris: string[] = [];
  for await (const { uri } of client.resources()) uris.push(uri);
  return uris;
}

function lineOf({ server, tools, prompts, resources, problem }: CheckedServer): string {
  if (problem !== undefined) return `${server}: ${problem}`;
  const names = [...tools, ...prompts].map((name) => `\n  ${name}`).join("");
  return `${server}: ${counted(tools, "tool")}, ${counted(prompts, "prompt")}, ${counted(resources, "resource")}${names}`;
}

/** `1 tool`, `2 tools` */
function counted({ length }: readonly string[], noun: string): string {
  return `${length} ${noun}${length === 1 ? "" : "s"}`;
}
