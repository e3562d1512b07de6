/** How the authorization server behaves: what it is made with, and the settings a test may change while it runs. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../jsonrpc/maybe-promise.ts";
import { CLIENT_AUTHENTICATION_METHODS, type ClientAuthenticationMethod, type ClientMetadata } from "./client-metadata.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/** Read with every request: what is assigned between two requests holds for the second. Times are in milliseconds. */
export interface AuthorizationServerSettings {
  /** The user of this server: `sub` of the tokens that a user grants. Default `user`. */
  subject: string;
  /** `approve` and `deny` answer at once; `page` shows one with both buttons. Default `approve`. */
  consent: "approve" | "deny" | "page";
  /** Scopes that may be asked for, and `scopes_supported`. Default undefined: any, and none is published. */
  scopes: readonly string[] | undefined;
  /** Resources a token may be asked for (RFC 8707). Default undefined: any. */
  resources: readonly string[] | undefined;
  /** `aud` where no resource was asked for. Default undefined: the issuer. */
  defaultAudience: string | undefined;
  /** How clients may authenticate at the token endpoint. Default all: `none`, basic, post, `private_key_jwt`. */
  clientAuthentication: readonly ClientAuthenticationMethod[];
  /** JWTs (RFC 9068), or random names that only introspection explains. Default `jwt`. */
  accessTokens: "jwt" | "opaque";
  /** Default one hour. */
  accessTokenLifetime: number;
  /** `rotate`: each may be used once, and the second use revokes all; `keep`: one for good; `never`. Default `rotate`. */
  refreshTokens: "rotate" | "keep" | "never";
  /** Default one day. */
  refreshTokenLifetime: number;
  /** Of an authorization code, and of a page that waits for an answer. Default one minute. */
  codeLifetime: number;
  /** Awaited before a request is answered, to delay it; a status answers in the server's place. */
  before: ((request: RecordedRequest) => MaybePromise<number | void>) | undefined;
  /** Changes an answer in JSON, metadata included; undefined makes it a 404. */
  alterAnswer: ((answer: JsonObject, request: RecordedRequest) => JsonObject | undefined) | undefined;
  /** Changes the parameters (`code`, `state`, `iss`, `error` …) a user is sent back to the client with. */
  alterRedirect: ((parameters: URLSearchParams, request: RecordedRequest) => void) | undefined;
}

/** A client the server knows from the start. */
export interface GivenClient extends ClientMetadata {
  client_id: string;
  client_secret?: string;
}

export interface AuthorizationServerOptions extends Partial<AuthorizationServerSettings> {
  /** The clock of every lifetime and claim, in milliseconds since 1970. Default `Date.now`. */
  clock?: () => number;
  /** Clients that need not register. */
  clients?: readonly GivenClient[];
}

const MINUTE = 60_000;

const DEFAULTS: AuthorizationServerSettings = {
  subject: "user",
  consent: "approve",
  scopes: undefined,
  resources: undefined,
  defaultAudience: undefined,
  clientAuthentication: CLIENT_AUTHENTICATION_METHODS,
  accessTokens: "jwt",
  accessTokenLifetime: 60 * MINUTE,
  refreshTokens: "rotate",
  refreshTokenLifetime: 24 * 60 * MINUTE,
  codeLifetime: MINUTE,
  before: undefined,
  alterAnswer: undefined,
  alterRedirect: undefined,
};

/** The settings among the options, with their defaults. @throws TypeError for an option there is none of */
export function toSettings(options: AuthorizationServerOptions): AuthorizationServerSettings {
  const { clock: _clock, clients: _clients, ...given } = options;
  const unknown = Object.keys(given).find((name) => !(name in DEFAULTS));
  if (unknown !== undefined) throw new TypeError(`The authorization server has no option ${JSON.stringify(unknown)}`);
  return { ...DEFAULTS, ...given };
}
