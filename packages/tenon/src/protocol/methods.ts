/**
 * The method table: every core request and notification of every revision, as data.
 *
 * It says which side may send a method, from which revision to which, and what is special about it. Code reads this table; no code
 * switches on a method name. Extensions bring rows for their own methods.
 */
import type { NotificationMethod, RequestMethod } from "./messages.ts";
import type { ProtocolVersion } from "./versions.ts";

/** `input` is a question that travels inside an `input_required` result instead of as a request. */
export type MethodKind = "request" | "notification" | "input";

/** One method on the revisions from `since` to `until`. An extension brings such rows for its own methods. */
export interface MethodRow {
  /** The method name on the wire. */
  readonly method: string;
  /** Whether it has a response, and how it travels. */
  readonly kind: MethodKind;
  /** Which side may send it. */
  readonly sender: "client" | "server" | "both";
  /** First revision of this row; default the first of all. */
  readonly since?: ProtocolVersion;
  /** Last revision of this row; default the newest. */
  readonly until?: ProtocolVersion;
  /** What the receiver must have declared, as a path in its capabilities: `"tools"`, `"resources.subscribe"`. */
  readonly capability?: string;
  /** The member of `params` that a stateless HTTP request repeats in the `Mcp-Name` header. */
  readonly httpName?: "name" | "uri";
  /** Complete results carry `ttlMs` and `cacheScope` on stateless revisions. */
  readonly cacheable?: boolean;
  /** The result may be `input_required` on stateless revisions. */
  readonly mayAsk?: boolean;
  /** The response ends a stream of notifications; until then there is no timeout. */
  readonly staysOpen?: boolean;
}

/** Methods of extensions, and for each the member of `params` that a stateless HTTP request repeats in `Mcp-Name`. */
export type HeaderNames = ReadonlyMap<string, string>;

/** Methods of the tasks extension. */
export const TASK_HEADERS: HeaderNames = /* @__PURE__ */ new Map(
  /* @__PURE__ */ ["tasks/get", "tasks/update", "tasks/cancel"].map((method) => [method, "taskId"] as const),
);

type NotificationName = NotificationMethod extends `notifications/${infer Name}` ? Name : never;
type Traits = Omit<MethodRow, "method" | "kind" | "sender">;

const lastStateful = { until: "2025-11-25" } as const;
const firstStateless = { since: "2026-07-28" } as const;
const tasks = { since: "2025-11-25", until: "2025-11-25" } as const;

function request(sender: MethodRow["sender"], method: RequestMethod, traits?: Traits): MethodRow {
  return { method, kind: "request", sender, ...traits };
}
function notification(sender: MethodRow["sender"], name: NotificationName, traits?: Traits): MethodRow {
  return { method: `notifications/${name}`, kind: "notification", sender, ...traits };
}
function input(method: RequestMethod, capability: string): MethodRow {
  return { method, kind: "input", sender: "server", capability, ...firstStateless };
}

/** A method may have several rows, for revisions that do not overlap. */
function allRows(): readonly MethodRow[] {
  return [
    request("client", "initialize", lastStateful),
    request("client", "server/discover", { ...firstStateless, cacheable: true }),
    request("both", "ping", lastStateful),
    request("client", "tools/list", { capability: "tools", cacheable: true }),
    request("client", "tools/call", { capability: "tools", httpName: "name", mayAsk: true }),
    request("client", "resources/list", { capability: "resources", cacheable: true }),
    request("client", "resources/templates/list", { capability: "resources", cacheable: true }),
    request("client", "resources/read", { capability: "resources", httpName: "uri", cacheable: true, mayAsk: true }),
    request("client", "resources/subscribe", { capability: "resources.subscribe", ...lastStateful }),
    request("client", "resources/unsubscribe", { capability: "resources.subscribe", ...lastStateful }),
    request("client", "prompts/list", { capability: "prompts", cacheable: true }),
    request("client", "prompts/get", { capability: "prompts", httpName: "name", mayAsk: true }),
    // 2024-11-05 has the method but no capability for it.
    request("client", "completion/complete", { until: "2024-11-05" }),
    request("client", "completion/complete", { since: "2025-03-26", capability: "completions" }),
    request("client", "logging/setLevel", { capability: "logging", ...lastStateful }),
    request("client", "subscriptions/listen", { ...firstStateless, staysOpen: true }),

    request("server", "sampling/createMessage", { capability: "sampling", ...lastStateful }),
    request("server", "roots/list", { capability: "roots", ...lastStateful }),
    request("server", "elicitation/create", { capability: "elicitation", since: "2025-06-18", until: "2025-11-25" }),
    input("sampling/createMessage", "sampling"),
    input("roots/list", "roots"),
    input("elicitation/create", "elicitation"),

    request("both", "tasks/get", { capability: "tasks", ...tasks }),
    request("both", "tasks/result", { capability: "tasks", ...tasks }),
    request("both", "tasks/cancel", { capability: "tasks.cancel", ...tasks }),
    request("both", "tasks/list", { capability: "tasks.list", ...tasks }),

    notification("client", "initialized", lastStateful),
    notification("both", "cancelled"),
    notification("both", "progress", lastStateful),
    notification("server", "progress", firstStateless),
    notification("server", "message"),
    notification("server", "tools/list_changed"),
    notification("server", "prompts/list_changed"),
    notification("server", "resources/list_changed"),
    notification("server", "resources/updated"),
    notification("client", "roots/list_changed", lastStateful),
    notification("server", "elicitation/complete", tasks),
    notification("both", "tasks/status", tasks),
    notification("server", "subscriptions/acknowledged", firstStateless),
  ];
}

export const METHODS: readonly MethodRow[] = /* @__PURE__ */ allRows();

const CORE_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set(/* @__PURE__ */ METHODS.map(({ method }) => method));

/** Whether some revision of the specification has a request or notification of that name. */
export function isCoreMethod(method: string): boolean {
  return CORE_METHODS.has(method);
}

/** Prefixes of methods that one extension has for itself, and its id (MCP Skills, Reserved Prefixes). */
const RESERVED_PREFIXES: Readonly<Record<string, string>> = { "skills/": "io.modelcontextprotocol/skills" };

/** The id of the only extension that may define this method; undefined if the prefix of the method is not reserved. */
export function prefixOwner(method: string): string | undefined {
  return Object.entries(RESERVED_PREFIXES).find(([prefix]) => method.startsWith(prefix))?.[1];
}

/** The methods that have this trait on some revision, plus those in `others`. */
export function methodsWith(trait: "cacheable" | "mayAsk", ...others: RequestMethod[]): ReadonlySet<string> {
  return new Set([...METHODS.filter((row) => row[trait]).map((row) => row.method), ...others]);
}

/** Requests whose result may be questions. */
export const ASKING_METHODS: ReadonlySet<string> = /* @__PURE__ */ methodsWith("mayAsk");
/** Requests that change nothing: sending one twice has the same effect as sending it once. */
export const READING_METHODS: ReadonlySet<string> = /* @__PURE__ */ methodsWith("cacheable", "ping", "prompts/get", "completion/complete");

const tables = new Map<ProtocolVersion, ReadonlyMap<string, MethodRow>>();

/** The rows of one revision by method; built once and shared. */
export function methodsOf(version: ProtocolVersion): ReadonlyMap<string, MethodRow> {
  let table = tables.get(version);
  if (!table) {
    table = new Map(
      METHODS.filter((row) => (row.since ?? "") <= version && version <= (row.until ?? version)).map((row) => [row.method, row]),
    );
    tables.set(version, table);
  }
  return table;
}
