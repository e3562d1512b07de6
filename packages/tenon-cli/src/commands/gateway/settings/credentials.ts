/** The credentials of servers, as a configuration file says: the member `auth` of a server's settings. */
import { canonicalJson } from "tenon/internal";
import { type AuthProvider, bearerToken, clientCredentials } from "tenon/auth";
import type { JsonObject } from "tenon";
import { type CallerAuth, callerTokenExchange, userLogin } from "tenon/gateway";
import type { ObjectShape, Shape } from "./shape.ts";

const TEXTS: Shape = { items: "text" };
const CLIENT: Shape = { members: { id: "text", secret: "secret", method: "text" }, required: ["id"] };
const COMMON = {
  type: "text",
  scope: "text",
  resource: ["text", "boolean"],
  scopeOnRefresh: "boolean",
  allowLoopback: "boolean",
  allowPrivateNetwork: TEXTS,
} as const;
const MORE = { ...COMMON, allowedPorts: { items: "number" } } as const;

/** How the credentials of each type are written, and made. */
const TYPES: Readonly<Record<string, { readonly shape: ObjectShape; readonly make: (settings: never) => AuthProvider | CallerAuth }>> = {
  token: {
    shape: { members: { type: "text", token: "secret" }, required: ["token"] },
    make: ({ token }: { token: string }) => bearerToken(token),
  },
  clientCredentials: {
    shape: { members: { ...MORE, issuer: "text", client: CLIENT }, required: ["issuer", "client"] },
    make: clientCredentials,
  },
  tokenExchange: {
    shape: {
      members: { ...MORE, issuer: "text", client: CLIENT, audience: "text", protocol: "text", trustedIssuers: TEXTS },
      required: ["issuer", "client"],
    },
    make: callerTokenExchange,
  },
  userLogin: {
    shape: {
      members: {
        ...MORE,
        issuer: "text",
        client: CLIENT,
        clientName: "text",
        clientMetadataUrl: "text",
        assumePkce: "boolean",
        ownCallback: "boolean",
        loginTimeout: "number",
        port: "number",
        callbackHost: "text",
        callbackPath: "text",
      },
    },
    make: userLogin,
  },
};

export const AUTH_SHAPES: readonly ObjectShape[] = Object.values(TYPES).map(({ shape }) => shape);
export const AUTH_TYPES: readonly string[] = Object.keys(TYPES);

export interface AuthSettings extends JsonObject {
  readonly type: string;
}

/** The shape of credentials by their type, or what is wrong with the type. */
export function authShapeOf(type: unknown): ObjectShape | string {
  if (typeof type === "string" && Object.hasOwn(TYPES, type)) return TYPES[type]!.shape;
  return `must be one of ${Object.keys(TYPES).join(", ")}`;
}

/** @throws TypeError or RangeError if an option has a wrong value */
export function makeAuth({ type, ...options }: AuthSettings): AuthProvider | CallerAuth {
  return TYPES[type]!.make(options as never); // its shape was checked
}

/** Credentials by server. Those whose settings are the same stay the same object, so that the server keeps its connections. */
export class KnownCredentials {
  #known = new Map<string, { readonly text: string; readonly auth: AuthProvider | CallerAuth }>();

  of(settings: ReadonlyMap<string, AuthSettings>): ReadonlyMap<string, AuthProvider | CallerAuth> {
    const next = [...settings].map(([server, own]) => {
      const text = canonicalJson(own);
      const known = this.#known.get(server);
      return [server, known?.text === text ? known : { text, auth: makeAuth(own) }] as const;
    });
    this.#known = new Map(next);
    return new Map(next.map(([server, { auth }]) => [server, auth]));
  }
}
