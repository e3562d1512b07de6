/**
 * The only way to a URL that a peer named. It checks the URL before a socket opens, and again for each redirect and each
 * address; it limits time and size, and accepts only JSON.
 *
 * Its callers check the content of the document.
 */
import type { OptionKeys } from "../base/known-options.ts";
import { checkedFetch } from "#checked-fetch";
import { LinkedAbort } from "../base/abort.ts";
import { AuthorizationError, type AuthorizationHop } from "./authorization-error.ts";
import { discard, readDocument, type JsonDocument } from "./json-document.ts";
import { URL_POLICY_OPTIONS, UrlPolicy, type UrlPolicyOptions } from "./url-policy.ts";
import { AddressRefusedError, type AuthFetch, type AuthResponse } from "./web-fetch.ts";

/** Limits of requests to URLs that a peer has named. Security: read each option of the policy before you loosen it. */
export interface GuardedFetchOptions extends UrlPolicyOptions {
  /** Milliseconds for one document, including redirects. Default 10 000. */
  readonly fetchTimeout?: number;
  /** Bytes of one document, after decompression. Default 256 KiB. */
  readonly maxDocumentBytes?: number;
  /**
   * Sends the requests, for example through a proxy or to a server in the same process. Security: URLs are still checked, but the
   * addresses of their host names are not. Default: the platform's `fetch`, which on Node connects to checked addresses only.
   */
  readonly fetch?: AuthFetch;
}

export function guardedFetchOptions(): OptionKeys<GuardedFetchOptions> {
  return { ...URL_POLICY_OPTIONS, fetchTimeout: 1, maxDocumentBytes: 1, fetch: 1 };
}

export interface GuardedRequest {
  readonly hop: AuthorizationHop;
  readonly method?: "GET" | "POST";
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  /** Whether the URL is a guess. Then a page that is not JSON counts as a missing document. */
  readonly isGuess?: boolean;
  /** Whether a response may be a form instead of JSON, as GitHub's token endpoint sends it. Its values are strings. Default false. */
  readonly isFormRead?: boolean;
  /** Whether redirects of the same origin are followed. Default true; else the response is the redirect itself. */
  readonly redirects?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT = 10_000;
const DEFAULT_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;

/** Fetches JSON from URLs that a peer named, for one MCP server or for none. */
export class GuardedFetch {
  readonly policy: UrlPolicy;
  readonly #options: GuardedFetchOptions;

  /** @param server the MCP server that it fetches for @throws RangeError if an option has a wrong value */
  constructor(options: GuardedFetchOptions = {}, server?: URL) {
    for (const name of ["fetchTimeout", "maxDocumentBytes"] as const) {
      const value = options[name];
      if (value !== undefined && !(value >= 1)) throw new RangeError(`Option "${name}" must be a number >= 1, not ${value}`);
    }
    this.policy = new UrlPolicy(options, server);
    this.#options = options;
  }

  /** @throws AuthorizationError if the URL must not be used; nothing is sent */
  check(url: string | URL, hop: AuthorizationHop): void {
    const problem = this.policy.refuses(url);
    if (problem !== undefined) throw refusedUrlError(hop, url, problem);
  }

  /**
   * Fetches the document at a URL. A successful one is always a JSON object.
   * @throws AuthorizationError naming the hop and the URL; `signal.reason`
   */
  async json(url: string, request: GuardedRequest): Promise<JsonDocument> {
    const { hop, signal } = request;
    const { fetchTimeout = DEFAULT_TIMEOUT } = this.#options;
    const late = AbortSignal.timeout(fetchTimeout);
    const either = new LinkedAbort(late, signal);
    try {
      return await this.#follow(url, request, either.signal);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof AuthorizationError) throw cause;
      const problem = late.aborted ? `no response within ${fetchTimeout} ms` : "it cannot be reached";
      const remedy = late.aborted ? 'Try again, or raise option "fetchTimeout".' : "Check the network and the address, then try again.";
      throw new AuthorizationError({ hop, url, problem, remedy, cause });
    } finally {
      either.unlink();
    }
  }

  async #follow(first: string, request: GuardedRequest, signal: AbortSignal): Promise<JsonDocument> {
    for (let url = first, redirects = 0; ; redirects++) {
      this.check(url, request.hop);
      const response = await this.#once(url, request, signal);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null || request.redirects === false)
        return readDocument(url, response, { ...request, maxBytes: this.#options.maxDocumentBytes ?? DEFAULT_BYTES });
      discard(response);
      url = nextUrl({ first, from: url, location, redirects }, request);
    }
  }

  async #once(url: string, { hop, method = "GET", headers, body }: GuardedRequest, signal: AbortSignal): Promise<AuthResponse> {
    const init = {
      method,
      headers: { accept: "application/json", ...headers },
      ...(body !== undefined && { body }),
      signal,
      redirect: "manual",
      cache: "no-store",
    } as const;
    const { fetch } = this.#options; // browsers and workers refuse to call `fetch` as a method of another object
    if (fetch !== undefined) return fetch(url, init);
    try {
      return await checkedFetch(url, init, (hostname, address) => this.policy.refusesAddress(hostname, address));
    } catch (error) {
      throw error instanceof AddressRefusedError ? refusedUrlError(hop, url, error.message) : error;
    }
  }
}

function refusedUrlError(hop: AuthorizationHop, url: string | URL, problem: string): AuthorizationError {
  const remedy = "Nothing was sent to it. If you trust it, allow it with the option named here.";
  return new AuthorizationError({ hop, url, problem: `that URL ${problem}`, remedy });
}

interface Redirect {
  readonly first: string;
  readonly from: string;
  readonly location: string;
  /** How many redirects were followed already. */
  readonly redirects: number;
}

/** Checks a redirect. It must keep the origin, and only a GET may be redirected, because a POST may hold secrets. */
function nextUrl({ first, from, location, redirects }: Redirect, { hop, method = "GET" }: GuardedRequest): string {
  const refuse = (problem: string): AuthorizationError =>
    new AuthorizationError({
      hop,
      url: from,
      problem: `it redirects ${problem}`,
      remedy: "The operator of that server must repair this.",
    });
  if (method !== "GET") throw refuse("a request that holds secrets");
  if (redirects >= MAX_REDIRECTS) throw refuse(`more than ${MAX_REDIRECTS} times`);
  if (!URL.canParse(location, from)) throw refuse("to an invalid URL");
  const to = new URL(location, from);
  if (to.origin !== new URL(first).origin) throw refuse("to another origin");
  return to.href;
}
