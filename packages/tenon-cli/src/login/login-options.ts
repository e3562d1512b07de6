/** Parses the options of `tenon login`. */
import type { PreregisteredClient, UrlPolicyOptions } from "tenon/auth";
import { UrlPolicy, parseScope } from "tenon/internal";
import { UsageError } from "../failure.ts";
import type { OptionValues } from "../invocation.ts";
import type { Environment } from "../shell.ts";
import type { LoginSettings } from "./logins.ts";

/** The client name that users see when they are asked for access. */
export const CLIENT_NAME = "Tenon command line";
/** The variable of a client's secret. Security: every process of the machine can read command lines. */
const SECRET_VARIABLE = "TENON_CLIENT_SECRET";

/** @throws UsageError */
export function loginSettingsOf(values: OptionValues, env: Environment): LoginSettings {
  const { issuer, allow } = values;
  const client = clientOf(values, env);
  if (issuer !== undefined && !/^https?:\/\//.test(issuer)) throw new UsageError(`--issuer ${JSON.stringify(issuer)} is no URL.`);
  return { ...(client && { client }), ...(issuer !== undefined && { issuer }), ...(allow && trustOf(allow)) };
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
