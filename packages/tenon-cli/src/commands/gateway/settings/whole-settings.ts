/** The member `tenon` at the top of a configuration file: what concerns all servers, the callers, and where the gateway is served. */
import { bearer, type BearerOptions, type UrlPolicyOptions } from "tenon/auth";
import type { GatewayOptions, Quota, Redact } from "tenon/gateway";
import { assertScopes, isJsonObject, type SettingsEffects } from "tenon/internal";
import { PARTS, type Parts } from "./bundles.ts";
import { TOKENS, type Tokens } from "./caller-tokens.ts";
import { RULES, type Rules } from "./rules.ts";
import type { ObjectShape, Shape } from "./shape.ts";

/** Where the gateway is served with `--http`, and to whom. */
export interface HttpSettings {
  readonly host?: string;
  readonly port?: number;
  readonly allowedHosts?: readonly string[];
  /** Whose tokens are accepted: callers of the file, the options of `bearer()`, or both. Default: no authorization. */
  readonly auth?: { readonly tokens?: Tokens } & Partial<
    Pick<BearerOptions, "issuer" | "audience" | "scopes" | "scopesSupported" | "scopeForms" | keyof UrlPolicyOptions>
  >;
}

export interface AuditSettings {
  readonly file: string;
  readonly contents?: boolean;
  /** Patterns are regular expressions. */
  readonly redact?: { readonly paths?: readonly string[]; readonly patterns?: readonly string[] };
}

/** The options of `createGateway` that a file sets once, for all servers. */
export const FIXED = [
  "search",
  "spill",
  "instructions",
  "readyTimeout",
  "idleTimeout",
  "drainTimeout",
  "limits",
  "logins",
  "requestState",
  "strict",
] as const;

export interface WholeSettings extends Rules, Parts, Pick<GatewayOptions, (typeof FIXED)[number]> {
  readonly quota?: Quota;
  readonly audit?: string | AuditSettings;
  readonly pins?: string | { readonly file: string; readonly unknown?: "pin" | "withhold" };
  /** Seals the logins of users in a shared store. */
  readonly loginKey?: string;
  readonly http?: HttpSettings;
}

/** Bytes of the shortest key. */
const MIN_KEY_LENGTH = 32;
const TEXTS: Shape = { items: "text" };
const NETWORK = { allowLoopback: "boolean", allowPrivateNetwork: TEXTS, allowedPorts: { items: "number" } } as const;
const CLIENT: Shape = { members: { id: "text", secret: "secret" }, required: ["id"] };
const IDENTITY: Shape = { members: { ...NETWORK, issuer: "text", client: CLIENT }, required: ["issuer", "client"] };

export const WHOLE: ObjectShape = {
  members: {
    ...RULES,
    ...PARTS,
    search: ["boolean", { members: { pinned: TEXTS, results: "number", synonyms: { values: TEXTS } } }],
    spill: ["boolean", { members: { above: "number", preview: "number", ttl: "number", maxKept: "number", maxTotal: "number" } }],
    audit: [
      "text",
      {
        members: { file: "text", contents: "boolean", redact: { members: { paths: TEXTS, patterns: TEXTS } } },
        required: ["file"],
      },
    ],
    pins: ["text", { members: { file: "text", unknown: "text" }, required: ["file"] }],
    instructions: "text",
    readyTimeout: "number",
    idleTimeout: "number",
    drainTimeout: "number",
    strict: "boolean",
    limits: {
      members: {
        maxConnections: "number",
        maxProcesses: "number",
        pageSize: "number",
        maxHeld: "number",
        maxTools: "number",
        maxListItems: "number",
        maxDefinitionSize: "number",
      },
    },
    logins: { members: { url: "text", identityProvider: IDENTITY }, required: ["url", "identityProvider"] },
    requestState: { members: { keys: { items: "secret" }, ttl: "number" } },
    loginKey: "secret",
    http: {
      members: {
        host: "text",
        port: "number",
        allowedHosts: TEXTS,
        auth: {
          members: {
            ...NETWORK,
            tokens: TOKENS,
            issuer: ["text", TEXTS],
            audience: ["text", TEXTS],
            scopes: TEXTS,
            scopesSupported: TEXTS,
            scopeForms: { values: "text" },
          },
        },
      },
    },
  },
};

/** The files that the settings name to be written, and what callers read. Their shape may be wrong. */
export function effectsOf(settings: unknown): SettingsEffects {
  const { audit, pins, instructions } = isJsonObject(settings) ? settings : {};
  const files = [audit, pins].map((member) => (isJsonObject(member) ? member["file"] : member));
  return { written: textsOf(files), told: textsOf([instructions]) };
}

function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string");
}

/** What `http.auth` lacks, by field. Its shape may be wrong. */
export function missingInAuth(settings: unknown): [field: string, message: string][] {
  const http = isJsonObject(settings) ? settings["http"] : undefined;
  const auth = isJsonObject(http) ? http["auth"] : undefined;
  if (!isJsonObject(auth)) return [];
  const { tokens, issuer, audience } = auth;
  const missing = Object.entries({ issuer, audience }).filter(([, value]) => value === undefined);
  if (missing.length === 2) return tokens === undefined ? [["http.auth", 'needs "tokens", or "issuer" and "audience"']] : [];
  return missing.map(([name]) => ["http.auth", `needs "${name}"`]);
}

/** @throws TypeError or RangeError if an option has a wrong value */
export function assertCallers({ port, auth }: HttpSettings): void {
  if (auth !== undefined) assertAuth(auth);
  if (port !== undefined && !(Number.isSafeInteger(port) && port >= 0 && port <= 65_535))
    throw new RangeError(`Option "port" must be a number from 0 to 65535, not ${port}`);
}

function assertAuth(auth: NonNullable<HttpSettings["auth"]>): void {
  const { tokens: _, issuer, audience, ...others } = auth;
  if (issuer === undefined || audience === undefined) return assertScopes("auth.scopes", others.scopes ?? []);
  bearer({ ...others, issuer, audience });
}

/** @throws RangeError if the key is too short */
export function assertLoginKey(key: string): void {
  if (Buffer.byteLength(key) < MIN_KEY_LENGTH) throw new RangeError(`must have ${MIN_KEY_LENGTH} bytes or more`);
}

/** What is taken out of the audit log. @throws SyntaxError if a pattern is no regular expression */
export function redactIn({ paths, patterns }: NonNullable<AuditSettings["redact"]>): Redact {
  return { ...(paths && { paths }), ...(patterns && { patterns: patterns.map((pattern) => new RegExp(pattern, "u")) }) };
}
