/** The settings of a gateway: its options with their defaults, checked, as its parts read them. */
import { systemClock, type Clock } from "../base/clock.ts";
import { prefixOf } from "../base/text/naming.ts";
import { attempt } from "../base/maybe-promise.ts";
import { nearest } from "../base/text/nearest.ts";
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { programLogins, type AuthStore } from "../auth/login/auth-store.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import { withPresets, type NumberTable } from "../base/number-options.ts";
import { assertSealingKeys } from "../session/asking/options.ts";
import { redaction } from "../middleware/audit/redaction.ts";
import { auditKeys } from "../middleware/audit/audit.ts";
import { LIST_LIMITS } from "../upstream/listing.ts";
import { shownFailure } from "../server/serving/failures.ts";
import type { ListMemory } from "./catalog/list-memory.ts";
import { Quotas } from "./quotas.ts";
import { assertLoginPages, loginPagesKeys } from "./login/login-options.ts";
import { Pins } from "./catalog/pins.ts";
import { SPILL_KEYS, spillSettings, type SpillSettings } from "../spill/options.ts";
import { SEARCH_KEYS, searchSettings, type SearchSettings } from "../search/search-options.ts";
import type { GatewayLimits, GatewayOptions, Policy, Sharing } from "./options.ts";

const LIMITS: NumberTable<GatewayLimits> = {
  maxConnections: [256, 1],
  maxProcesses: [8, 1],
  pageSize: [Infinity, 1],
  maxHeld: [134_217_728, 0],
  ...LIST_LIMITS,
};
/** Milliseconds that a list waits for servers over stdio, whose hosts read it once, by default. */
const STDIO_READY_TIMEOUT = 9_000;
const TIMES: NumberTable<{ readyTimeout: number; idleTimeout: number; drainTimeout: number }> = {
  readyTimeout: [1_500, 0, "ms"],
  idleTimeout: [300_000, 0, "ms"],
  drainTimeout: [60_000, 0, "ms"],
};
const STATE_TIMES: NumberTable<{ ttl: number }> = { ttl: [600_000, 0, "ms"] };
const KEYS: OptionKeys<GatewayOptions> = {
  servers: 1,
  info: 1,
  instructions: 1,
  share: 1,
  prefix: 1,
  policy: 1,
  search: SEARCH_KEYS,
  spill: SPILL_KEYS,
  quotas: 1,
  audit: auditKeys(),
  pins: { approved: 1, callers: 1, unknown: 1, onPinned: 1, onWithheld: 1 },
  ...TIMES,
  onMissing: 1,
  lists: 1,
  requestState: { keys: 1, ...STATE_TIMES },
  logins: loginPagesKeys(),
  loginStore: 1,
  localLogins: 1,
  limits: LIMITS,
  strict: 1,
  onDeviation: 1,
  clock: 1,
  onError: 1,
};
/** The name of the quota of servers without one. */
const ALL_OTHERS = "*";
const SHARINGS: ReadonlySet<unknown> = new Set<Sharing>(["session", "principal", "call", "all"]);

/** The options with their defaults, as the parts of a gateway read them. */
export interface Settings {
  readonly info: Implementation;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  /** All times are in milliseconds. */
  readyTimeoutFor(isStdio: boolean): number;
  missing(servers: readonly string[]): void;
  readonly lists: ListMemory | undefined;
  readonly idleTimeout: number;
  readonly drainTimeout: number;
  /** Milliseconds that a client has to answer. */
  readonly stateTtl: number;
  /** Whether the option `requestState.keys` was given: then other processes can open the states of this one. */
  readonly hasKeys: boolean;
  /** May be replaced while the gateway runs. */
  policy: Policy | undefined;
  readonly loginStore: AuthStore;
  readonly localLogins: boolean;
  readonly search: SearchSettings | undefined;
  readonly spill: SpillSettings | undefined;
  readonly pins: Pins | undefined;
  readonly quotas: Quotas;
  readonly strict: boolean;
  readonly onDeviation: GatewayOptions["onDeviation"];
  report(error: unknown, context: { server?: string; method?: string }): void;
  prefixOf(server: string): string;
  sharingOf(server: string): Sharing | undefined;
}

/** @throws TypeError if an option does not exist or has a wrong type; RangeError if a time or a limit is out of range */
export function settingsOf(options: GatewayOptions): Settings {
  assertKnown("createGateway()", options, KEYS);
  assertKinds(options);
  assertSealingKeys(options.requestState?.keys);
  const { share, clock = systemClock, onError = logToConsole, policy } = options;
  const { readyTimeout, ...times } = withPresets(TIMES, options);
  const waitsLonger = options.readyTimeout === undefined;
  if (options.logins !== undefined) assertLoginPages(options.logins);
  for (const one of typeof share === "object" ? Object.values(share) : [share]) assertSharing(one);
  return {
    info: options.info ?? { name: "tenon-gateway", version: "0.1.0" },
    clock,
    limits: withPresets(LIMITS, options.limits, "limits"),
    readyTimeoutFor: (isStdio) => (waitsLonger && isStdio ? STDIO_READY_TIMEOUT : readyTimeout),
    missing: (names) => options.onMissing?.(names),
    lists: options.lists,
    ...times,
    stateTtl: withPresets(STATE_TIMES, options.requestState, "requestState").ttl,
    hasKeys: options.requestState?.keys !== undefined,
    policy,
    loginStore: options.loginStore ?? programLogins(),
    localLogins: options.localLogins === true,
    search: options.search ? searchSettings("search", options.search === true ? {} : options.search) : undefined,
    quotas: new Quotas(options.quotas ?? {}, clock),
    strict: options.strict === true,
    onDeviation: options.onDeviation,
    spill: spillSettings(options.spill),
    pins: options.pins && new Pins(options.pins),
    report: (error, context) =>
      void attempt(
        () => onError(error instanceof Error ? error : new Error(String(error)), context),
        () => undefined, // a listener that fails changes nothing for callers
      ),
    prefixOf: (server) => prefixFor(server, options.prefix),
    sharingOf: (server) => (typeof share === "object" ? (Object.hasOwn(share, server) ? share[server] : undefined) : share),
  };
}

/** Checks what a program without types may pass: an option of another kind would do nothing, or fail with the first request. @throws TypeError */
function assertKinds({ servers, policy, audit, pins, prefix }: GatewayOptions): void {
  if (!isNamed(servers)) throw new TypeError('Option "servers" must be the servers by their names: { clock, files: { url: "…" } }');
  if (policy !== undefined && typeof policy !== "function")
    throw new TypeError('Option "policy" must be a function that returns true for what a caller may use');
  if (audit !== undefined && typeof audit?.write !== "function")
    throw new TypeError('Option "audit" must be { write }, with a function that gets each record');
  redaction(audit?.redact);
  if (pins !== undefined && Object(pins) !== pins) throw new TypeError('Option "pins" must be an object, such as { approved }');
  if (prefix !== undefined && !isNamed(prefix))
    throw new TypeError('Option "prefix" must be the prefixes by the names of servers: { files: "f" }');
}

/**
 * What options say of servers that the gateway does not have, for the operator: it has no effect. No error, because servers may join later
 * (`setServers`). Without servers there is nothing to compare with.
 */
export function unknownServersIn({ servers, quotas, share, prefix }: GatewayOptions): TypeError[] {
  const names = Object.keys(servers);
  const named = { quotas, share: typeof share === "object" ? share : undefined, prefix };
  if (names.length === 0) return [];
  return Object.entries(named).flatMap(([option, value]) =>
    Object.keys(value ?? {})
      .filter((name) => name !== ALL_OTHERS && !names.includes(name))
      .map((name) => {
        const meant = nearest(name, names);
        const hint = meant === undefined ? "" : ` Did you mean ${JSON.stringify(meant)}?`;
        return new TypeError(`Option "${option}" names server ${JSON.stringify(name)}, which this gateway does not have.${hint}`);
      }),
  );
}

function isNamed(value: unknown): boolean {
  return Object(value) === value && !Array.isArray(value);
}

/** @throws RangeError if the prefix of a server has characters that hosts do not accept */
function prefixFor(server: string, prefixes: GatewayOptions["prefix"] = {}): string {
  if (!Object.hasOwn(prefixes, server)) return prefixOf(server);
  const prefix = prefixes[server]!;
  if (prefix === "" || prefixOf(prefix) === prefix) return prefix;
  throw new RangeError(
    `Option "prefix" of server "${server}" must be "" or 1 to 32 of A-Z a-z 0-9 _ -, without "__" and without "_" at an end`,
  );
}

function assertSharing(sharing: Sharing | undefined): void {
  if (sharing === undefined || SHARINGS.has(sharing)) return;
  throw new RangeError(`Option "share" must be "session", "principal", "call" or "all", not ${JSON.stringify(sharing)}`);
}

function logToConsole(error: Error, { server, method }: { server?: string; method?: string }): void {
  const where = [server !== undefined && `server "${server}"`, method].filter(Boolean).join(", ");
  // oxlint-disable-next-line no-console -- the default of `onError`
  console.error(where === "" ? "Gateway:" : `Gateway, ${where}:`, shownFailure(error));
}
