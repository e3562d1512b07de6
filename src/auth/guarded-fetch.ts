/**
 * The only way to a URL that a peer named (security rules R12, d.5): judged before a socket opens, again for each
 * redirect and each address; bounded in time and size; JSON and nothing else.
 *
 * What the document must hold is its reader's business.
 */
import type { OptionKeys } from "../base/known-options.ts";
import { checkedFetch } from "#checked-fetch";
import { LinkedAbort } from "../base/abort.ts";
import { AuthorizationError, type AuthorizationHop } from "./authorization-error.ts";
import { discard, readDocument, type JsonDocument } from "./json-document.ts";
import { URL_POLICY_OPTIONS, UrlPolicy, type UrlPolicyOptions } from "./url-policy.ts";
import { AddressRefusedError, type AuthFetch, type AuthResponse } from "./web-fetch.ts";

/** What bounds requests to URLs that a peer has named. Security: see each option of the policy before loosening it. */
export interface GuardedFetchOptions extends UrlPolicyOptions {
  /** Milliseconds for one document, redirects included. Default 10 000. */
  readonly fetchTimeout?: number;
  /** Bytes of one document, after decompression. Default 256 KiB. */
  readonly maxDocumentBytes?: number;
  /**
   * What sends the requests instead: for a proxy, or a server in the same process. URLs are judged as always; the
   * addresses names lead to are then its own affair. Default: the platform's own, which on Node connects to judged addresses only.
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
  /** Where it is only guessed that there is something: sites that answer every path with a page have nothing there. */
  readonly isGuess?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT = 10_000;
const DEFAULT_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;

/** Fetches JSON for one MCP server, or for none in particular. */
export class GuardedFetch {
  readonly policy: UrlPolicy;
  readonly #options: GuardedFetchOptions;

  /** @param server the MCP server in whose name it fetches @throws RangeError for an option that is none */
  constructor(options: GuardedFetchOptions = {}, server?: URL) {
    for (const name of ["fetchTimeout", "maxDocumentBytes"] as const) {
      const value = options[name];
      if (value !== undefined && !(value >= 1)) throw new RangeError(`Option "${name}" must be a number >= 1, not ${value}`);
    }
    this.policy = new UrlPolicy(options, server);
    this.#options = options;
  }

  /** @throws AuthorizationError for a URL that must not be used, before anything is sent */
  check(url: string | URL, hop: AuthorizationHop): void {
    const problem = this.policy.refuses(url);
    if (problem !== undefined) throw refusedUrlError(hop, url, problem);
  }

  /**
   * The document at a URL. A success is always a JSON object.
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
      const problem = late.aborted ? `no answer within ${fetchTimeout} ms` : "it cannot be reached";
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
      if (response.status < 300 || response.status > 399 || location === null)
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
    const { fetch } = this.#options; // browsers and workers refuse to run theirs as a method of anything else
    if (fetch !== undefined) return fetch(url, init);
    try {
      return await checkedFetch(url, init, (hostname, address) => this.policy.refusesAddress(hostname, address));
    } catch (error) {
      throw error instanceof AddressRefusedError ? refusedUrlError(hop, url, error.message) : error;
    }
  }
}

function refusedUrlError(hop: AuthorizationHop, url: string | URL, problem: string): AuthorizationError {
  const remedy = "Nothing was sent to it; if it is to be trusted, allow it with the option named here, else ask whoever named it.";
  return new AuthorizationError({ hop, url, problem: `that URL ${problem}`, remedy });
}

interface Redirect {
  /** The URL that was asked for at first. */
  readonly first: string;
  /** The URL that redirects. */
  readonly from: string;
  /** Where it redirects to. */
  readonly location: string;
  /** How many redirects were followed before. */
  readonly redirects: number;
}

/** Redirects stay with the origin, and only documents are redirected: what a POST holds is sent to whom it was meant for (R16). */
function nextUrl({ first, from, location, redirects }: Redirect, { hop, method = "GET" }: GuardedRequest): string {
  const refuse = (problem: string): AuthorizationError =>
    new AuthorizationError({
      hop,
      url: from,
      problem: `it redirects ${problem}`,
      remedy: "This is for whoever runs that server to repair.",
    });
  if (method !== "GET") throw refuse("a request that holds secrets");
  if (redirects >= MAX_REDIRECTS) throw refuse(`more than ${MAX_REDIRECTS} times`);
  if (!URL.canParse(location, from)) throw refuse("to what is no URL");
  const to = new URL(location, from);
  if (to.origin !== new URL(first).origin) throw refuse("to another origin");
  return to.href;
}
