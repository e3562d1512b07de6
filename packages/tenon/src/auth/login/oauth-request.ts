/**
 * Sends the requests that `oauth4webapi` makes through the guarded fetch, which judges the URL and reads the response.
 *
 * The library builds the request and authenticates the client. It never sees the response, because its errors would quote
 * what a server sent.
 */
import type { HttpRequestOptions } from "oauth4webapi";
import type { AuthorizationHop } from "../authorization-error.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import type { JsonDocument } from "../json-document.ts";

export interface OAuthRequest {
  /** The step that a failure names. */
  readonly hop: AuthorizationHop;
  readonly signal: AbortSignal;
  readonly send: (options: HttpRequestOptions<"POST", URLSearchParams>) => Promise<unknown>;
}

/** The response to a request of `oauth4webapi`. @throws AuthorizationError; `signal.reason`; what the library throws before it sends */
export async function oauthRequest(documents: GuardedFetch, { hop, signal, send }: OAuthRequest): Promise<JsonDocument> {
  const { allowInsecureRequests, customFetch } = await import("oauth4webapi");
  let document: JsonDocument | undefined;
  await send({
    signal,
    // The URL policy decides which URLs may be used, not the library.
    [allowInsecureRequests]: true,
    [customFetch]: async (url: string, init: { readonly headers: Record<string, string>; readonly body: URLSearchParams }) => {
      const { "user-agent": _, ...headers } = init.headers;
      document = await documents.json(url, { hop, method: "POST", headers, body: init.body.toString(), isFormRead: true, signal });
      return new Response();
    },
  });
  return document!; // the library has called `customFetch` by now, or thrown
}
