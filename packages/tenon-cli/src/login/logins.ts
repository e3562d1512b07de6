/** The logins of `tenon login`, in files that all commands share: the credentials, and the typed options that a refresh needs. */
import type { AuthStore, PreregisteredClient, UrlPolicyOptions } from "tenon/auth";
import { type User, isJsonObject, isLoopbackName, isStrings, loginDirectory } from "tenon/internal";
import type { JsonObject } from "tenon";
import { fileStore } from "tenon/node";

export interface LoginSettings extends UrlPolicyOptions {
  readonly client?: PreregisteredClient;
  /** The only authorization server that may be used. */
  readonly issuer?: string;
  /** The name that tokens are requested for, or false for none. Default: the server's own. */
  readonly resource?: false | string;
  /** Whether the issuer is trusted to check PKCE. Default false. */
  readonly assumePkce?: boolean;
}

export class Logins {
  readonly store: AuthStore;

  constructor(user: User) {
    this.store = fileStore({ directory: loginDirectory(user) });
  }

  /** The typed options of a stored login. */
  async settings(server: URL): Promise<LoginSettings> {
    return toSettings((await this.store.get(keyOf(server))) ?? {});
  }

  async keepSettings(server: URL, { client, ...settings }: LoginSettings): Promise<void> {
    const record = {
      ...settings,
      ...(client && { client: { id: client.id, ...(client.secret !== undefined && { secret: client.secret }) } }),
    };
    if (Object.keys(record).length === 0) await this.store.delete(keyOf(server));
    else await this.store.set(keyOf(server), record);
  }

  async forgetSettings(server: URL): Promise<void> {
    await this.store.delete(keyOf(server));
  }
}

/** Whether a token may be sent to a URL: over TLS, or on this machine. */
export function canReceiveCredentials({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || isLoopbackName(hostname);
}

/** The key of the options. It differs from the keys of the store's own records. */
function keyOf({ href }: URL): string {
  return JSON.stringify(["tenon login", href]);
}

function toSettings({ client, issuer, resource, assumePkce, allowPrivateNetwork, allowedPorts, allowLoopback }: JsonObject): LoginSettings {
  const { id, secret }: JsonObject = isJsonObject(client) ? client : {};
  return {
    ...(typeof id === "string" && { client: { id, ...(typeof secret === "string" && { secret }) } }),
    ...(typeof issuer === "string" && { issuer, ...(assumePkce === true && { assumePkce }) }),
    ...((typeof resource === "string" || resource === false) && { resource }),
    ...(isStrings(allowPrivateNetwork) && { allowPrivateNetwork }),
    ...(Array.isArray(allowedPorts) && { allowedPorts: allowedPorts.filter((port) => typeof port === "number") }),
    ...(allowLoopback === true && { allowLoopback }),
  };
}
