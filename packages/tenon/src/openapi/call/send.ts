/** Sends requests to the API: to checked addresses, within a time and a number of bytes, and never on to another origin. */
import { checkedFetch } from "#checked-fetch";
import { LinkedAbort } from "../../base/abort.ts";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { discard } from "../../auth/json-document.ts";
import type { UrlPolicy } from "../../auth/url-policy.ts";
import { AddressRefusedError, type AuthResponse, type CheckedRequestInit } from "../../auth/web-fetch.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ApiFetch, ApiRequest } from "./api-fetch.ts";

export interface SendOptions {
  readonly policy: UrlPolicy;
  /** Milliseconds until the response is there. */
  readonly timeout: number;
  readonly maxResponseBytes: number;
  readonly fetch?: ApiFetch;
}

export interface Received {
  readonly status: number;
  /** A header by its name in any case. */
  header(name: string): string | undefined;
  readonly bytes: Uint8Array;
  /** Whether bytes were left out. */
  readonly isCut: boolean;
}

/** A request that got no response. `message` is for the model and names no address; `cause` is for the operator. */
export class SendError extends Error {
  override name = "SendError";
}

const MAX_REDIRECTS = 3;

/** @throws SendError; the reason of the context's signal if that aborts */
export async function send(request: ApiRequest, options: SendOptions, context: RequestContext | undefined): Promise<Received> {
  const { signal } = context ?? {};
  const late = AbortSignal.timeout(options.timeout);
  const either = new LinkedAbort(late, signal);
  try {
    return await follow(request, options, either.signal, context);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SendError) throw cause;
    const message = late.aborted
      ? `The API did not respond within ${options.timeout} ms (option "timeout")`
      : cause instanceof AddressRefusedError
        ? "The address of the API is not allowed"
        : "The API cannot be reached";
    throw new SendError(message, { cause });
  } finally {
    either.unlink();
  }
}

/** Follows redirects of a GET on one origin, because another origin must not get the credentials. */
async function follow(
  first: ApiRequest,
  options: SendOptions,
  signal: AbortSignal,
  context: RequestContext | undefined,
): Promise<Received> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const response = await once(request, options, signal, context);
    if (response.status === 0) throw new SendError("The API redirects, which this platform does not allow to check");
    const location = response.headers.get("location");
    const target =
      location !== null && isRedirect(response.status) && URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
    if (target === undefined || !["GET", "HEAD"].includes(first.method)) return receive(response, options.maxResponseBytes);
    discard(response);
    if (target.origin !== new URL(first.url).origin) throw new SendError("The API redirects to another origin, which is not followed");
    if (redirects >= MAX_REDIRECTS) throw new SendError(`The API redirects more than ${MAX_REDIRECTS} times`);
    target.hash = "";
    request = { ...request, url: target.href };
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function once(
  { method, url, headers, body }: ApiRequest,
  { policy, fetch }: SendOptions,
  signal: AbortSignal,
  context: RequestContext | undefined,
): Promise<AuthResponse> {
  const init: CheckedRequestInit = { method, headers, ...(body !== undefined && { body }), signal, redirect: "manual", cache: "no-store" };
  if (fetch !== undefined) return fetch(url, init, context); // browsers and workers refuse to call `fetch` as a method of another object
  return checkedFetch(url, init, (hostname, address) => policy.refusesAddress(hostname, address));
}

async function receive({ status, headers, body }: AuthResponse, max: number): Promise<Received> {
  const gathered = new GatheredBytes();
  const isCut = body !== null && (await gather(body.getReader(), gathered, max));
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  return { status, header, bytes: gathered.joined(), isCut };
}

/** Reads at most `max` bytes. Returns whether there were more. */
async function gather(reader: ReadableStreamDefaultReader<Uint8Array>, gathered: GatheredBytes, max: number): Promise<boolean> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const room = max - gathered.length;
    if (next.value.length > room) {
      gathered.add(next.value.subarray(0, room));
      reader.cancel().catch(() => undefined); // nothing is read any more
      return true;
    }
    gathered.add(next.value);
  }
  return false;
}
