/** A web that is nothing but its documents, for `fetch` of `tenon/auth`: what was asked for is in `asked`, in order. */
import type { AuthFetch } from "tenon/auth";

export interface Page {
  readonly status?: number;
  /** An object is JSON; a text is what it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AskedPage {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface ScriptedWeb {
  readonly fetch: AuthFetch;
  readonly asked: AskedPage[];
  readonly urls: () => string[];
}

/** @param pages by URL; what is not there is a 404 */
export function scriptedWeb(pages: Readonly<Record<string, Page | ((asked: AskedPage) => Page)>>): ScriptedWeb {
  const asked: AskedPage[] = [];
  return {
    asked,
    urls: () => asked.map(({ url }) => url),
    fetch: (url, { method, headers, body, signal }) => {
      signal.throwIfAborted();
      const request = { method, url, headers, body };
      asked.push(request);
      const page = pages[url];
      const {
        status = 200,
        body: content = {},
        headers: more = {},
      } = typeof page === "function" ? page(request) : (page ?? { status: 404 });
      const text = typeof content === "string" ? content : JSON.stringify(content);
      return Promise.resolve(new Response(text, { status, headers: { "content-type": "application/json", ...more } }));
    },
  };
}
