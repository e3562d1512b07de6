/** `tenon gateway check`: connects to each server of a configuration file, and says what it offers or what is wrong. */
import { connect } from "tenon/client";
import { type Gateway, type GatewayEntry, type Policy, type PolicyFacts, createGateway } from "tenon/gateway";
import { describeProblem, placedIn } from "tenon/internal";
import { ANSWER_TIMEOUT } from "../../connection/diagnosis.ts";
import { outputsOn } from "../../connection/server-output.ts";
import { diagnose } from "../../doctor/diagnose.ts";
import { type Invocation, type Outcome, timeoutOf } from "../../invocation.ts";
import { Consent } from "../../consent/consent.ts";
import { checkedParts, linesOf } from "./checked-parts.ts";
import { emptiness, loadGatewayConfig } from "./loaded-config.ts";
import { KnownCredentials } from "./settings/credentials.ts";
import type { GatewaySettings } from "./settings/settings.ts";
import { PinFile } from "./pin-file.ts";
import { pinsIn, rulesOf } from "./settings/typed.ts";
import { unfittingPins, unfittingTyped, type Offered } from "./settings/unfitting.ts";

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
  readonly remedy?: string;
  /** What else went wrong. The gateway serves it nevertheless. */
  readonly warnings?: readonly string[];
}

interface Subject {
  readonly entry: GatewayEntry;
  readonly settings: GatewaySettings;
  readonly policy: Policy;
  readonly invocation: Invocation;
}

/** Servers that are asked at once: a file may have hundreds of programs, and each is a process. */
const CHECKED_AT_ONCE = 8;
const NOTHING = { tools: [], prompts: [], resources: [] } as const;
/** A gateway does not use what `tenon login` keeps. */
const LOGIN_REMEDY = 'Give its entry credentials: "auth" in its "tenon" part, or "headers".';
/** The credentials that need a caller. */
const OF_CALLERS: ReadonlySet<string | undefined> = new Set(["tokenExchange", "userLogin"]);

/** @throws ServerConfigError with all faults of the file, by line, server and field; UsageError if the user does not agree to start its programs */
export async function checkConfig(file: string, invocation: Invocation): Promise<Outcome> {
  const { shell, values } = invocation;
  const warnings: string[] = [];
  const consent = new Consent(invocation).asking(file, invocation);
  const { servers, settings } = await loadGatewayConfig(file, { shell, consent, onWarning: (warning) => warnings.push(warning) }).catch(
    (error: unknown) => {
      for (const warning of warnings) invocation.terminal.note(warning); // one of them may be the reason
      throw error;
    },
  );
  const empty = emptiness(file, servers);
  const entries = settings.entries(servers, new KnownCredentials(), outputsOn(invocation.terminal));
  await createGateway({ ...settings.fixed, servers: entries }).close(); // names that collide are found here
  const rules = rulesOf({ policy: settings.rules, prefixIn: settings.prefixIn }, values);
  const facts: PolicyFacts[] = [];
  const policy: Policy = (entry) => {
    facts.push(entry); // also what is denied: a rule that denies it fits it
    return rules?.(entry) ?? true;
  };
  const checked = await inTurns(Object.entries(entries), ([name, entry]) => check(name, { entry, settings, policy, invocation }));
  const listed = new Set(
    checked.flatMap(({ server, unasked, problem }) => (unasked === undefined && problem === undefined ? [server] : [])),
  );
  warnings.push(...(await unfittingIn(file, settings, invocation, { facts, listed, servers: settings.names })));
  const foundFaults = empty !== undefined || checked.some(({ problem }) => problem !== undefined);
  const parts = checkedParts(settings.whole, { facts, rules, prefixIn: settings.prefixIn });
  const whole = Object.keys(settings.whole);
  const lines = whole.length === 0 ? [] : [`all servers: ${whole.join(", ")}`];
  return {
    json: { servers: checked, ...parts, settings: whole, warnings, ...(empty !== undefined && { problem: empty }) },
    foundFaults,
    text: () => [...(empty === undefined ? [] : [empty]), ...checked.map(lineOf), ...linesOf(parts), ...lines, ...warnings].join("\n"),
  };
}

/** Warnings about what the file, the command line and the file of pins name and no server offers. */
async function unfittingIn(file: string, settings: GatewaySettings, invocation: Invocation, offered: Offered): Promise<string[]> {
  const { shell, values } = invocation;
  const inFile = await placedIn(file, settings.unfitting(offered), shell.cwd);
  const { path } = pinsIn(file, invocation, settings.whole);
  const { servers: pinned } = path === undefined ? { servers: {} } : await new PinFile(path, () => undefined).read();
  return [
    ...inFile.map((problem) => `${file}: ${describeProblem(problem)}`),
    ...unfittingTyped(values, settings.prefixIn, offered),
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
async function check(server: string, { entry, settings, policy, invocation }: Subject): Promise<CheckedServer> {
  const own = { server, settings: settings.describe(server) };
  if (OF_CALLERS.has(settings.authTypeOf(server))) return { ...own, ...NOTHING, unasked: "its lists differ by caller" };
  const warnings = new Set<string>();
  let failure: Error | undefined;
  const onError = (error: Error, { method }: { method?: string }): void => {
    if (method === "tools/list") failure ??= error;
    else warnings.add(method === undefined ? error.message : `${method}: ${error.message}`);
    if (method === undefined) unconnected ??= error;
  };
  let unconnected: Error | undefined;
  const { prefix } = settings.fixed;
  await using gateway = createGateway({
    servers: { [server]: entry },
    ...(prefix?.[server] !== undefined && { prefix: { [server]: prefix[server] } }),
    policy,
    readyTimeout: Infinity,
    onError,
  });
  const isConnected = (): boolean => gateway.status().some(({ connections }) => connections > 0);
  const timeout = timeoutOf(invocation.values) ?? ANSWER_TIMEOUT;
  using patience = new Patience(urlOf(entry) === undefined ? Infinity : timeout, isConnected);
  const offered = await offeredBy(gateway, AbortSignal.any([invocation.signal, patience.signal])).catch((error: unknown) => {
    invocation.signal.throwIfAborted();
    failure ??= patience.failure ?? (error instanceof Error ? error : new Error(String(error)));
    return NOTHING;
  });
  if (failure === undefined && !isConnected()) failure = unconnected ?? new Error("it does not connect");
  if (failure === undefined) return { ...own, ...offered, ...(warnings.size > 0 && { warnings: [...warnings] }) };
  const found = isConnected() ? undefined : await diagnose(failure, urlOf(entry) ?? "program", invocation, timeout);
  const problem = found?.problem ?? failure.message;
  const remedy = found?.action === "login" ? LOGIN_REMEDY : found?.remedy;
  return { ...own, ...offered, problem, ...(remedy !== undefined && { remedy }) };
}

/** Where an entry leads, if it is a server at a URL. */
function urlOf(entry: GatewayEntry): URL | undefined {
  return typeof entry === "object" && "url" in entry ? new URL(entry.url) : undefined;
}

/** Gives up a server that has not connected in time. One that is connected may take longer for its lists. */
class Patience {
  readonly #abort = new AbortController();
  failure: Error | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, isConnected: () => boolean) {
    const giveUp = (): void => {
      if (isConnected()) return;
      this.failure = new DOMException(`no response within ${ms} ms`, "TimeoutError");
      this.#abort.abort(this.failure);
    };
    if (Number.isFinite(ms)) this.#timer = setTimeout(giveUp, ms);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

type Lists = Pick<CheckedServer, "tools" | "prompts" | "resources">;

async function offeredBy(gateway: Gateway, signal: AbortSignal): Promise<Lists> {
  await using client = await connect(gateway, { timeout: Infinity, maxTotalTimeout: Infinity, signal });
  const close = (): void => void client.close();
  signal.addEventListener("abort", close, { once: true });
  const lists = {
    tools: await idsOf(client.tools(), "name"),
    prompts: await idsOf(client.prompts(), "name"),
    resources: await idsOf(client.resources(), "uri"),
  };
  for await (const _ of client.resourceTemplates()); // the policy sees them
  return lists;
}

async function idsOf<Name extends string>(entries: AsyncIterable<Readonly<Record<Name, string>>>, member: Name): Promise<string[]> {
  const ids: string[] = [];
  for await (const { [member]: id } of entries) ids.push(id);
  return ids;
}

function lineOf({ server, tools, prompts, resources, settings, unasked, problem, remedy, warnings = [] }: CheckedServer): string {
  if (problem !== undefined) return `${server}: ${problem}${remedy === undefined ? "" : `\n  ${remedy}`}`;
  const details = settings.length === 0 ? "" : ` (${settings.join(", ")})`;
  if (unasked !== undefined) return `${server}: ${unasked}${details}`;
  const names = [...tools, ...prompts].map((name) => `\n  ${name}`).join("");
  return `${server}: ${counted(tools, "tool")}, ${counted(prompts, "prompt")}, ${counted(resources, "resource")}${details}${names}${warnings.map((warning) => `\n  warning: ${warning}`).join("")}`;
}

/** `1 tool`, `2 tools` */
function counted({ length }: readonly string[], noun: string): string {
  return `${length} ${noun}${length === 1 ? "" : "s"}`;
}
