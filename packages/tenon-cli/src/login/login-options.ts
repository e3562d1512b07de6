/** Parses the options of `tenon login`. */
import type { CallbackHost, PreregisteredClient, UrlPolicyOptions } from "tenon/auth";
import { UrlPolicy, assertResource, isCallbackHost, isCallbackPath, parseScope } from "tenon/internal";
import { UsageError } from "../failure.ts";
import type { OptionValues } from "../invocation.ts";
import type { Environment } from "../shell.ts";
import type { LoginSettings } from "./logins.ts";

/** The client name that users see when they are asked for access. */
export const CLIENT_NAME = "Tenon command line";
/** The variable of a client's secret. Security: every process of the machine can read command lines. */
const SECRET_VARIABLE = "TENON_CLIENT_SECRET";

export function loginSettingsOf(values: OptionValues, env: Environment): LoginSettings {
  const { issuer, allow, resource, "assume-pkce": assumePkce } = values;
  const client = clientOf(values, env);
  if (issuer !== undefined && !/^https?:\/\//.test(issuer)) throw new UsageError(`--issuer ${JSON.stringify(issuer)} is no URL.`);
  if (assumePkce === true && issuer === undefined)
    throw new UsageError("--assume-pkce needs --issuer: PKCE can be assumed only of an authorization server that you know.");
  return {
    ...(client && { client }),
    ...(issuer !== undefined && { issuer }),
    ...(resource !== undefined && { resource: resourceOf(resource) }),
    ...(assumePkce === true && { assumePkce }),
    ...(allow && trustOf(allow)),
  };
}

/** `--resource none`, `--resource api://my-app`. @throws UsageError */
function resourceOf(typed: string): false | string {
  if (typed === "none") return false;
  try {
    assertResource(typed);
  } catch (cause) {
    const message = `--resource ${JSON.stringify(typed)} must be none, or a name without spaces and "#".`;
    throw new UsageError(message, { cause });
  }
  return typed;
}

/** Where the browser comes back to. @throws UsageError */
export function callbackOf(values: OptionValues): { readonly callbackHost?: CallbackHost; readonly callbackPath?: string } {
  const { "callback-host": host, "callback-path": path } = values;
  if (host !== undefined && !isCallbackHost(host))
    throw new UsageError(`--callback-host must be 127.0.0.1, localhost or ::1, not ${JSON.stringify(host)}.`);
  if (path !== undefined && !isCallbackPath(path))
    throw new UsageError(`--callback-path must be a path such as /callback, not ${JSON.stringify(path)}.`);
  return { ...(host !== undefined && { callbackHost: host }), ...(path !== undefined && { callbackPath: path }) };
}

function clientOf({ "client-id": id, issuer }: OptionValues, env: Environment): PreregisteredClient | undefined {
  const secret = env[SECRET_VARIABLE];
  if (id === undefined) return undefined;
  if (secret === undefined || secret === "") return { id };
  if (issuer === undefined) {
    throw new UsageError(`A client with a secret (${SECRET_VARIABLE}) needs --issuer, so that the secret is sent to no other server.`);
  }
  return { id, secret };
}

/** `--allow localhost`, `--allow :9443`, `--allow 10.0.0.0/8`, `--allow login.corp.example`. @throws UsageError */
function trustOf(allowed: readonly string[]): UrlPolicyOptions {
  const allowPrivateNetwork = allowed.filter((entry) => !isPort(entry) && entry !== "localhost");
  const allowedPorts = allowed.filter(isPort).map((entry) => Number(entry.slice(1)));
  const trust = { allowPrivateNetwork, allowedPorts, ...(allowed.includes("localhost") && { allowLoopback: true }) };
  const odd = allowPrivateNetwork.find((entry) => !/^[\w.:/[\]-]+$/.test(entry));
  if (odd !== undefined) throw new UsageError(`--allow ${JSON.stringify(odd)} is no network, host or :port.`);
  try {
    void new UrlPolicy(trust);
  } catch (cause) {
    throw new UsageError(`--allow: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return trust;
}

function isPort(entry: string): boolean {
  return /^:\d+$/.test(entry);
}

/** Space-separated. @throws UsageError */
export function scopeOf({ scope }: OptionValues): string | undefined {
  if (scope !== undefined && parseScope(scope) === undefined)
    throw new UsageError(`--scope ${JSON.stringify(scope)} must be scopes separated by spaces.`);
  return scope;
}
