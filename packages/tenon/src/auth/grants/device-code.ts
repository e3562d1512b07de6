/** `deviceCode()`: a user logs in on another device, with a code that the program shows (RFC 8628). */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { sleep, systemClock } from "../../base/clock.ts";
import { LinkedAbort } from "../../base/abort.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import type { JsonDocument } from "../json-document.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { DEFAULT_LOGIN_TIMEOUT } from "./authorization-code.ts";
import type { Grant, GrantContext, ObtainedTokens } from "../login/grant.ts";
import { clientAuthOf, type OAuthClient } from "../login/oauth-client.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import { knownClient, REGISTRATION_OPTIONS, resolveClient, type RegistrationOptions } from "./registration.ts";
import { oauthRequest } from "../login/oauth-request.ts";
import { requestToken, type TokenResponse, toLifetime } from "../login/token-endpoint.ts";

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const HOP = "authorization";

/** What to show to the user. */
export interface DevicePrompt {
  /** The code that the user types in on the page. */
  readonly userCode: string;
  /** The page: https:, or http: on this machine. */
  readonly verificationUrl: URL;
  /** The page with the code in its URL, for a QR code; undefined if the server has none. */
  readonly completeUrl: URL | undefined;
  /** Milliseconds the user has. */
  readonly expiresIn: number;
}

/** Options of `deviceCode()`. */
export interface DeviceCodeOptions extends OAuthOptions, RegistrationOptions {
  /** Shows the code and the page to the user. */
  readonly prompt: (prompt: DevicePrompt, signal: AbortSignal) => MaybePromise<void>;
  /** The issuer that `client` is registered with, as in `oauth()`. Required with a secret or a key. */
  readonly issuer?: string;
  /** Milliseconds the user has for the login. Default 300 000 (5 minutes). The server's own limit counts if it is shorter. */
  readonly loginTimeout?: number;
}

/**
 * Authorizes with a user's consent on another device. @throws TypeError if a client has a secret and no `issuer`; RangeError if
 * an option has a wrong value
 */
export function deviceCode(options: DeviceCodeOptions): OAuthProvider {
  const keys: OptionKeys<DeviceCodeOptions> = { ...oauthOptions(), ...REGISTRATION_OPTIONS, prompt: 1, issuer: 1, loginTimeout: 1 };
  assertKnown("deviceCode()", options, keys);
  const { client, issuer } = options;
  if (issuer === undefined && (client?.secret ?? client?.key) !== undefined)
    throw new TypeError('A client with a secret needs option "issuer"');
  return new OAuthProvider(new DeviceCodeGrant(options), options);
}

interface Device {
  readonly code: string;
  readonly prompt: DevicePrompt;
  /** Milliseconds between two polls. */
  readonly interval: number;
}

class DeviceCodeGrant implements Grant {
  readonly interactive = true;
  readonly issuer: string | undefined;
  readonly preregisteredId: string | undefined;
  readonly #options: DeviceCodeOptions;

  constructor(options: DeviceCodeOptions) {
    this.issuer = options.issuer;
    this.preregisteredId = options.client?.id;
    this.#options = options;
  }

  knownClient(at: GrantContext): Promise<OAuthClient | undefined> {
    return knownClient(at, this.#options);
  }

  async forgetClient(at: GrantContext): Promise<void> {
    await at.credentials.deleteRegistration(at.issuer.metadata.issuer, at.server);
  }

  async obtain(at: GrantContext): Promise<ObtainedTokens> {
    const endpoint = deviceEndpoint(at);
    const client = await resolveClient(at, this.#options, undefined);
    const device = await begin(at, client, endpoint);
    const { loginTimeout = DEFAULT_LOGIN_TIMEOUT } = this.#options;
    const late = AbortSignal.timeout(Math.min(loginTimeout, device.prompt.expiresIn));
    const either = new LinkedAbort(at.signal, late);
    const { signal } = either;
    try {
      await this.#options.prompt(device.prompt, signal);
      return { client, response: await poll({ ...at, signal }, client, device) };
    } catch (error) {
      at.signal.throwIfAborted();
      if (!late.aborted) throw error;
      throw new AuthorizationError({ hop: HOP, url: endpoint, problem: "the user did not log in in time", remedy: "Begin again." });
    } finally {
      either.unlink();
    }
  }
}

/** @throws AuthorizationError if the authorization server has no such endpoint */
function deviceEndpoint({ issuer: { metadata, url = metadata.issuer } }: GrantContext): string {
  const endpoint = metadata.device_authorization_endpoint;
  if (endpoint !== undefined) return endpoint;
  const problem = "it offers no login on another device";
  throw new AuthorizationError({ hop: HOP, url, problem, remedy: "Use oauth() with a browser there." });
}

async function begin(at: GrantContext, client: OAuthClient, endpoint: string): Promise<Device> {
  const { deviceAuthorizationRequest } = await import("oauth4webapi");
  const parameters = { scope: at.scope?.join(" "), resource: at.indicator };
  const entries = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const authenticate = await clientAuthOf(client);
  const document = await oauthRequest(at.documents, {
    hop: HOP,
    signal: at.signal,
    send: (options) =>
      deviceAuthorizationRequest({ ...at.issuer.metadata }, { client_id: client.id ?? "" }, authenticate, entries, options),
  });
  return toDevice(at, endpoint, document);
}

/** Milliseconds between two polls if the server does not set them (RFC 8628 section 3.2), and the milliseconds that `slow_down` adds. */
const INTERVAL = 5_000;
const MAX_INTERVAL = 60_000;

function toDevice({ documents }: GrantContext, endpoint: string, { status, json = {} }: JsonDocument): Device {
  const remedy = "The operator of the authorization server must repair this.";
  const fail = (problem: string, error?: string): AuthorizationError =>
    new AuthorizationError({ hop: HOP, url: endpoint, problem, remedy, error });
  const { error, device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = json;
  if (status !== 200) throw fail(`it refused a login on another device (HTTP ${status})`, typeof error === "string" ? error : undefined);
  if (typeof device_code !== "string" || typeof user_code !== "string" || !/^[\x20-\x7E]{1,64}$/.test(user_code))
    throw fail("the response has no codes");
  if (typeof verification_uri !== "string") throw fail('the response has no "verification_uri"');
  const expiresIn = toLifetime(expires_in);
  if (typeof expiresIn !== "number" || expiresIn === 0) throw fail('the response has no "expires_in"');
  const pause = toLifetime(interval) ?? INTERVAL;
  if (pause === "none") throw fail('the response has an invalid "interval"');
  const prompt = {
    userCode: user_code,
    verificationUrl: pageAt(verification_uri, documents),
    completeUrl: typeof verification_uri_complete === "string" ? pageAt(verification_uri_complete, documents) : undefined,
    expiresIn: Math.min(expiresIn, 2 ** 31 - 1),
  };
  return { code: device_code, prompt, interval: Math.min(pause, MAX_INTERVAL) };
}

/** @throws AuthorizationError if the user must not be sent there */
function pageAt(url: string, documents: GuardedFetch): URL {
  documents.check(url, HOP);
  return new URL(url);
}

async function poll(at: GrantContext, client: OAuthClient, { code, interval }: Device): Promise<TokenResponse> {
  const { documents, issuer, indicator, dpop, signal } = at;
  for (let wait = interval; ;) {
    await sleep(systemClock, wait, signal);
    try {
      const parameters = { device_code: code, resource: indicator };
      return await requestToken(documents, { hop: "token", issuer, client, grantType: DEVICE_CODE, parameters, dpop, signal });
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error;
      if (error.error === "slow_down") wait = Math.min(wait + INTERVAL, MAX_INTERVAL);
      else if (error.error !== "authorization_pending") throw error;
    }
  }
}
