/**
 * The members `tenon` of a configuration file: what the gateway does beside serving the servers. One is at the top of the file, for all
 * servers, and one may be in each server.
 */
import { type SettingsEffects, type SettingsReader, type Variables, canonicalJson, settingsOf, prefixOf } from "tenon/internal";
import type { GatewayEntries, GatewayOptions, Policy, Quota, Sharing } from "tenon/gateway";
import type { JsonObject } from "tenon";
import type { ConfigProblem, ServerConfig, ServerConfigs, TextSink } from "tenon/node";
import { authShapeOf, makeAuth, type AuthSettings, type KnownCredentials } from "./credentials.ts";
import { partsPolicy, partsProblems, unknownServersInBundles } from "./bundles.ts";
import { tokenProblems } from "./caller-tokens.ts";
import { policyOf, problemsOf, RULES, unknownServersIn, type Rules } from "./rules.ts";
import { readShape, type ObjectShape, type Shape } from "./shape.ts";
import { unfittingPicks, unfittingRules, unfittingPinned, type Offered } from "./unfitting.ts";
import { assertCallers, assertLoginKey, effectsOf, FIXED, missingInAuth, redactIn, WHOLE, type WholeSettings } from "./whole-settings.ts";

interface ServerSettings extends Rules {
  readonly quota?: Quota;
  readonly prefix?: string;
  readonly share?: Sharing;
  readonly auth?: AuthSettings;
}

type FixedOption = (typeof FIXED)[number] | "prefix" | "share";

export const QUOTA: Shape = {
  members: { requests: "number", per: "number", running: "number", paramsSize: "number", resultSize: "number" },
};
export const SERVER: ObjectShape = { members: { ...RULES, quota: QUOTA, prefix: "text", share: "text" } };

/** The settings of a file. It reads them while the file is read. */
export class GatewaySettings implements SettingsReader {
  readonly #servers = new Map<string, ServerSettings>();
  #whole: WholeSettings = {};
  #names: readonly string[] = [];

  read(settings: unknown, server: string | undefined, variables: Variables, isProgram: boolean): readonly ConfigProblem[] {
    const problems: ConfigProblem[] = [];
    const onProblem = (field: string, message: string): void =>
      void problems.push({ ...(server !== undefined && { server }), field: field === "" ? "tenon" : `tenon.${field}`, message });
    const auth = server === undefined ? undefined : (settings as JsonObject | null)?.["auth"];
    const authShape = auth === undefined ? undefined : authShapeOf((auth as JsonObject | null)?.["type"]);
    const members = { ...SERVER.members, auth: typeof authShape === "object" ? authShape : { members: { type: "text" as const } } };
    const shape: Shape = server === undefined ? { members: { ...WHOLE.members, quota: QUOTA } } : { members };
    if (typeof authShape === "string") onProblem("auth.type", authShape);
    const onOther = (field: string, message: string): void => {
      if (typeof authShape !== "string" || !field.startsWith("auth")) onProblem(field, message);
    };
    const found = readShape(settings, shape, { field: "", variables, onProblem: onOther });
    if (typeof authShape === "string") return problems;
    if (server === undefined) for (const [field, message] of missingInAuth(settings)) onProblem(field, message);
    if (auth !== undefined && isProgram) onProblem("auth", 'is for servers at a URL; a program gets its credentials by "env"');
    if (problems.length > 0) return problems;
    for (const [field, message] of problemsOf(found as Rules)) onProblem(field, message); // its shape was checked
    if (server === undefined) this.#readWhole(found as WholeSettings, onProblem);
    else this.#readServer(server, found as ServerSettings, onProblem);
    return problems;
  }

  effects(settings: unknown): SettingsEffects {
    return effectsOf(settings);
  }

  compare(servers: readonly string[]): readonly ConfigProblem[] {
    this.#names = servers;
    const unknown = [...unknownServersIn(this.#whole, servers), ...unknownServersInBundles(this.#whole, servers)];
    return unknown.map(([field, message]) => ({ field: `tenon.${field}`, message }));
  }

  #readServer(server: string, found: ServerSettings, onProblem: (field: string, message: string) => void): void {
    this.#servers.set(server, found);
    const { quota, share, prefix, auth } = found;
    tried("quota", onProblem, () => quota && settingsOf({ servers: {}, quotas: { [server]: quota } }));
    tried("share", onProblem, () => share && settingsOf({ servers: {}, share }));
    tried("prefix", onProblem, () =>
      settingsOf({ servers: {}, ...(prefix !== undefined && { prefix: { [server]: prefix } }) }).prefixOf(server),
    );
    tried("auth", onProblem, () => auth && makeAuth(auth));
  }

  #readWhole(found: WholeSettings, onProblem: (field: string, message: string) => void): void {
    this.#whole = found;
    const { quota, loginKey, http } = found;
    tried("quota", onProblem, () => quota && settingsOf({ servers: {}, quotas: { "*": quota } }));
    for (const field of FIXED)
      tried(field, onProblem, () => found[field] !== undefined && settingsOf({ servers: {}, [field]: found[field] }));
    const redact = typeof found.audit === "object" ? found.audit.redact : undefined;
    tried(
      "audit.redact",
      onProblem,
      () => redact && settingsOf({ servers: {}, audit: { write: () => undefined, redact: redactIn(redact) } }),
    );
    tried("loginKey", onProblem, () => loginKey !== undefined && assertLoginKey(loginKey));
    for (const [field, message] of [...partsProblems(found), ...tokenProblems(http?.auth?.tokens ?? {})]) onProblem(field, message);
    tried("http", onProblem, () => http && assertCallers(http));
  }

  /** What the names of a server begin with. */
  readonly prefixIn = (server: string): string => this.#servers.get(server)?.prefix ?? prefixOf(server);

  get whole(): WholeSettings {
    return this.#whole;
  }

  /** What may be seen and used: by the rules, and by bundles and groups. Undefined without all of them. */
  get policy(): Policy | undefined {
    const [rules, parts] = [this.rules, partsPolicy(this.#whole, this.prefixIn)];
    if (rules === undefined || parts === undefined) return rules ?? parts;
    return (facts) => parts(facts) && rules(facts);
  }

  /** What may be seen and used by the rules: what the file allows, and the server's own rules too. Undefined if there are no rules. */
  get rules(): Policy | undefined {
    const all = policyOf(this.#whole);
    const own = new Map([...this.#servers].map(([server, rules]) => [server, policyOf(rules)]));
    if (all === undefined && ![...own.values()].some((policy) => policy !== undefined)) return undefined;
    return (facts) => (all?.(facts) ?? true) && (own.get(facts.server)?.(facts) ?? true);
  }

  get quotas(): Readonly<Record<string, Quota>> {
    const own = [...this.#servers].flatMap(([server, { quota }]) => (quota === undefined ? [] : [[server, quota] as const]));
    return Object.fromEntries([...(this.#whole.quota === undefined ? [] : [["*", this.#whole.quota] as const]), ...own]);
  }

  get hasUserLogins(): boolean {
    return [...this.#servers.values()].some(({ auth }) => auth?.type === "userLogin");
  }

  /** How a server's credentials are got; undefined without some. */
  authTypeOf(server: string): string | undefined {
    return this.#servers.get(server)?.auth?.type;
  }

  /** What the file says of a server, for the operator: the names of its settings. */
  describe(server: string): string[] {
    const { auth, ...settings } = this.#servers.get(server) ?? {};
    return [...Object.keys(settings), ...(auth === undefined ? [] : [`auth: ${auth.type}`])];
  }

  /** What the file says and no server offers, without `line`. */
  unfitting(offered: Offered): ConfigProblem[] {
    const { search } = this.#whole;
    const pinned = typeof search === "object" ? (search.pinned ?? []) : [];
    return [
      ...unfittingRules(this.#whole, undefined, offered),
      ...unfittingPinned(pinned, this.prefixIn, offered),
      ...unfittingPicks(this.#whole, offered),
      ...[...this.#servers].flatMap(([server, rules]) => unfittingRules(rules, server, offered)),
    ];
  }

  /** The names of all servers of the file, those that are disabled too. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** The servers with their credentials. @param output makes what gets the errors of a program: they are a server's text, and go to a terminal */
  entries(servers: ServerConfigs, known: KnownCredentials, output: () => TextSink): GatewayEntries {
    const settings = [...this.#servers].flatMap(([server, { auth }]) => (auth === undefined ? [] : [[server, auth] as const]));
    const made = known.of(new Map(settings));
    const entryOf = (name: string, config: ServerConfig): object =>
      config.type === "stdio" ? { ...config, stderr: output() } : { ...config, ...(made.has(name) && { auth: made.get(name)! }) };
    return Object.fromEntries(Object.entries(servers).map(([name, config]) => [name, entryOf(name, config)])) as GatewayEntries; // programs have no credentials: that was checked
  }

  /** The options that a gateway takes once, when it is made. */
  get fixed(): Pick<GatewayOptions, FixedOption> {
    const sources = [
      ["prefix", this.#each("prefix")],
      ["share", this.#each("share")],
      ...FIXED.map((name) => [name, this.#whole[name]]),
    ] as const;
    return Object.fromEntries(sources.filter(([, value]) => value !== undefined));
  }

  /** All of it, to compare. Holds secrets. */
  get text(): string {
    return canonicalJson([this.#whole, Object.fromEntries(this.#servers)]);
  }

  /** The settings that take effect when the gateway starts, each by its name and as a text to compare. Hold secrets. */
  get startTexts(): ReadonlyMap<string, string> {
    const { audit, pins, loginKey, http = {} } = this.#whole;
    const { tokens: _, ...auth } = http.auth ?? {};
    const ofHttp = Object.entries({ ...http, ...(http.auth && { auth }) }).map(([name, value]) => [`http.${name}`, value] as const);
    const all = [...Object.entries({ ...this.fixed, audit, pins, loginKey }), ...ofHttp];
    return new Map(all.filter(([, value]) => value !== undefined).map(([name, value]) => [name, canonicalJson(value)]));
  }

  /** The settings that take effect at once, to compare. */
  get liveText(): string {
    const servers = [...this.#servers].map(([name, settings]) => [name, ...liveOf(settings)]);
    const { bundles = null, groups = null, http } = this.#whole;
    return canonicalJson([
      liveOf(this.#whole),
      bundles,
      groups,
      http?.auth?.tokens ?? null,
      servers.filter(([, ...own]) => own.some((one) => one !== null)),
    ]);
  }

  #each<Name extends "prefix" | "share">(name: Name): Record<string, NonNullable<ServerSettings[Name]>> | undefined {
    const own = [...this.#servers].flatMap(([server, settings]) =>
      settings[name] === undefined ? [] : [[server, settings[name]] as const],
    );
    return own.length === 0 ? undefined : Object.fromEntries(own);
  }
}

function liveOf({ allow, deny, quota }: Rules & { readonly quota?: Quota }): unknown[] {
  return [allow ?? null, deny ?? null, quota ?? null];
}

/** Reports what a part of the library says of settings. */
function tried(field: string, onProblem: (field: string, message: string) => void, make: () => unknown): void {
  try {
    make();
  } catch (error) {
    onProblem(field, error instanceof Error ? error.message : String(error));
  }
}
