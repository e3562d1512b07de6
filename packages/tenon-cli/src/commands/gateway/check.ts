/** `tenon gateway check`: connects to each server of a configuration file, and says what it offers or what is wrong. */
import { type Client, connect } from "tenon/client";
import { type GatewayEntry, type Policy, type PolicyFacts, createGateway } from "tenon/gateway";
import { describeProblem, placedIn, prefixOf } from "tenon/internal";
import type { Invocation, Outcome } from "../../invocation.ts";
import { Consent } from "../../consent/consent.ts";
import { emptiness, loadGatewayConfig } from "./loaded-config.ts";
import { KnownCredentials } from "./settings/credentials.ts";
import type { GatewaySettings } from "./settings/settings.ts";
import { PinFile } from "./pin-file.ts";
import { pinsIn, rulesOf } from "./settings/typed.ts";
import { unfittingPins, unfittingTyped, type Offered } from "./settings/unfitting.ts";

/** What one server offers, or why it cannot be reached. */
interface CheckedServer {
  readonly server: string;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  /** What the file says of it beside how to connect, such as `quota` or `auth: clientCredentials`. */
  readonly settings: readonly string[];
  /** Why it was not asked for its lists. */
  readonly unasked?: string;
  /** Why it cannot be used: it does not connect, or its tools cannot be listed. */
  readonly problem?: string;
  /** What else went wrong. The gateway serves it nevertheless. */
  readonly warnings?: readonly string[];
}

/** What is checked. */
interface Subject {
  readonly entry: GatewayEntry;
  readonly settings: GatewaySettings;
  readonly policy: Policy;
  readonly signal: AbortSignal;
}

/** Servers that are asked at once: a file may have hundreds of programs, and each is a process. */
const CHECKED_AT_ONCE = 8;
/** The credentials that need a caller. */
const OF_CALLERS: ReadonlySet<string | undefined> = new Set(["tokenExchange", "userLogin"]);

/** @throws ServerConfigError with all faults of the file, by line, server and field; UsageError if the user does not agree to start its programs */
export async function checkConfig(file: string, invocation: Invocation): Promise<Outcome> {
  const { shell, signal, values } = invocation;
  const warnings: string[] = [];
  const consent = new Consent(invocation).asking(file, invocation);
  const { servers, settings } = await loadGatewayConfig(file, { shell, consent, onWarning: (warning) => warnings.push(warning) }).catch(
    (error: unknown) => {
      for (const warning of warnings) invocation.terminal.note(warning); // one of them may be the reason
      throw error;
    },
  );
  const empty = emptiness(file, servers);
  const entries = settings.entries(servers, new KnownCredentials());
  await createGateway({ ...settings.fixed, servers: entries }).close(); // names that collide are found here
  const rules = rulesOf(settings, values);
  const facts: PolicyFacts[] = [];
  const policy: Policy = (entry) => {
    facts.push(entry); // also what is denied: a rule that denies it fits it
    return rules?.(entry) ?? true;
  };
  const checked = await inTurns(Object.entries(entries), ([name, entry]) => check(name, { entry, settings, policy, signal }));
  const listed = new Set(
    checked.flatMap(({ server, unasked, problem }) => (unasked === undefined && problem === undefined ? [server] : [])),
  );
  warnings.push(...(await unfittingIn(file, settings, invocation, { facts, listed, servers: settings.names })));
  const foundFaults = empty !== undefined || checked.some(({ problem }) => problem !== undefined);
  const whole = Object.keys(settings.whole);
  const lines = whole.length === 0 ? [] : [`all servers: ${whole.join(", ")}`];
  return {
    json: { servers: checked, settings: whole, warnings, ...(empty !== undefined && { problem: empty }) },
    foundFaults,
    text: () => [...(empty === undefined ? [] : [empty]), ...checked.map(lineOf), ...lines, ...warnings].join("\n"),
  };
}

/** Warnings about what the file, the command line and the file of pins name and no server offers. */
async function unfittingIn(file: string, settings: GatewaySettings, invocation: Invocation, offered: Offered): Promise<string[]> {
  const { shell, values } = invocation;
  const { prefix = {} } = settings.fixed;
  const prefixIn = (server: string): string => prefix[server] ?? prefixOf(server);
  const inFile = await placedIn(file, settings.unfitting(offered, prefixIn), shell.cwd);
  const { path } = pinsIn(file, invocation, settings.whole);
  const { servers: pinned } = path === undefined ? { servers: {} } : await new PinFile(path, () => undefined).read();
  return [
    ...inFile.map((problem) => `${file}: ${describeProblem(problem)}`),
    ...unfittingTyped(values, prefixIn, offered),
    ...(path === undefined ? [] : unfittingPins(path, pinned, offered)),
  ];
}

/** Runs `work` for all items, some at once. Returns the results in the order of the items. */
async function inTurns<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const run = async (): Promise<void> => {
    for (const [at, item] of rest) results[at] = await work(item); // all runs take from one iterator
  };
  await Promise.all(Array.from({ length: CHECKED_AT_ONCE }, run));
  return results;
}

/** Asks one server through a gateway of its own, so that the others do not matter. */
async function check(server: string, { entry, settings, policy, signal }: Subject): Promise<CheckedServer> {
  const warnings = new Set<string>();
  let problem: string | undefined;
  const onError = (error: Error, { method }: { method?: string }): void => {
    if (method === "tools/list") problem ??= error.message;
    else warnings.add(method === undefined ? error.message : `${method}: ${error.message}`);
  };
  const own = { server, settings: settings.describe(server) };
  const type = settings.authTypeOf(server);
  if (OF_CALLERS.has(type)) return { ...own, tools: [], prompts: [], resources: [], unasked: "its lists differ by caller" };
  const { prefix } = settings.fixed;
  await using gateway = createGateway({
    servers: { [server]: entry },
    ...(prefix?.[server] !== undefined && { prefix: { [server]: prefix[server] } }),
    policy,
    readyTimeout: Infinity,
    onError,
  });
  await using client = await connect(gateway, { timeout: Infinity, maxTotalTimeout: Infinity, signal });
  const lists = { tools: await toolsOf(client), prompts: await promptsOf(client), resources: await resourcesOf(client) };
  for await (const _ of client.resourceTemplates()); // the policy sees them
  const isConnected = gateway.status().some(({ connections }) => connections > 0);
  if (!isConnected) problem ??= [...warnings][0] ?? "it does not connect";
  return {
    ...own,
    ...lists,
    ...(problem !== undefined && { problem }),
    ...(problem === undefined && warnings.size > 0 && { warnings: [...warnings] }),
  };
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

function lineOf({ server, tools, prompts, resources, settings, unasked, problem, warnings = [] }: CheckedServer): string {
  if (problem !== undefined) return `${server}: ${problem}`;
  const said = settings.length === 0 ? "" : ` (${settings.join(", ")})`;
  if (unasked !== undefined) return `${server}: ${unasked}${said}`;
  const names = [...tools, ...prompts].map((name) => `\n  ${name}`).join("");
  return `${server}: ${counted(tools, "tool")}, ${counted(prompts, "prompt")}, ${counted(resources, "resource")}${said}${names}${warnings.map((warning) => `\n  warning: ${warning}`).join("")}`;
}

/** `1 tool`, `2 tools` */
function counted({ length }: readonly string[], noun: string): string {
  return `${length} ${noun}${length === 1 ? "" : "s"}`;
}
