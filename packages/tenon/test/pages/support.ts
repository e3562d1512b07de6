/** A server with pages, its users, and their browsers. */
import { onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions, type McpServer } from "tenon";
import type { EndpointAuth } from "tenon/auth";
import { serveHttp, type HttpEndpoint, type ServeHttpOptions } from "tenon/node";
import { userPages, type UserPagesOptions } from "tenon/pages";
import type { McpServerOptions } from "tenon/server";
import { closing } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

export const SECRET = "ghp_do-not-show-this-to-anyone";
export const ISSUER = "https://id.example";
/** Keys that all nodes have. */
export const KEYS: readonly string[] = ["a key that all nodes of the server have"];

/** Takes `Bearer <user>` as the token of that user. */
export const auth: EndpointAuth = {
  insufficientScope: () => ({ status: 403, headers: [], message: "More scopes are needed" }),
  authorize: (request) => {
    const subject = /^Bearer (.+)$/.exec(request.header("authorization") ?? "")?.[1];
    if (subject === undefined) return { status: 401, headers: [], message: "Log in" };
    const auth = { issuer: ISSUER, subject, clientId: "ide", scopes: [], claims: {} };
    return { auth, principal: JSON.stringify([ISSUER, subject, "ide"]), until: Infinity };
  },
};

/** The user of a browser, by the cookie of another part of the site. */
export const identify: NonNullable<UserPagesOptions["identify"]> = (request) => {
  const subject = /(?:^|; )user=(\w+)/.exec(request.header("cookie") ?? "")?.[1];
  return subject === undefined ? undefined : { issuer: ISSUER, subject };
};

export interface PagesSite {
  readonly server: McpServer;
  readonly endpoint: HttpEndpoint;
  /** A client of a user. */
  readonly client: (user: string, options?: ConnectOptions) => Promise<Client>;
}

/** Serves a server with pages at the same origin. @param tools adds its tools */
export async function site(
  tools: (server: McpServer) => void,
  { port = 0, pages = {}, ...options }: Omit<McpServerOptions, "pages"> & { port?: number; pages?: UserPagesOptions } = {},
  serving: Partial<ServeHttpOptions> & { auth?: EndpointAuth | undefined } = {},
): Promise<PagesSite> {
  const free = port === 0 ? await freePort() : port;
  const url = `http://127.0.0.1:${free}/ask`;
  const server = testServer({
    name: "issues",
    onError: () => undefined,
    ...options,
    pages: userPages({ url, identify, ...pages }),
  });
  tools(server);
  const endpoint = await serveHttp(server, { port: free, auth, ...(serving as ServeHttpOptions) });
  onTestFinished(() => endpoint.close());
  const client = (user: string, more: ConnectOptions = {}): Promise<Client> =>
    closing(connect({ url: endpoint.url, headers: { authorization: `Bearer ${user}` } }, more));
  return { server, endpoint, client };
}

export async function freePort(): Promise<number> {
  const endpoint = await serveHttp(testServer(), { port: 0 });
  const { port } = new URL(endpoint.url);
  await endpoint.close();
  return Number(port);
}

export interface Visited {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly url: string;
}

/** A browser with one cookie jar, in which a user is logged in. */
export class PageBrowser {
  readonly cookies: Map<string, string> = new Map();

  constructor(user?: string) {
    if (user !== undefined) this.cookies.set("user", user);
  }

  async open(url: string): Promise<Visited> {
    return this.#visited(url, await fetch(url, { redirect: "manual", headers: { cookie: this.#cookie } }));
  }

  /** Sends the form of a page. */
  async send({ text, url }: Visited, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Visited> {
    const action = new URL(/<form method="post" action="([^"]+)"/.exec(text)?.[1] ?? "/ask/answer", url);
    const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? "";
    const body = new URLSearchParams({ token, ...fields });
    const sent = { origin: action.origin, cookie: this.#cookie, ...headers };
    return this.#visited(action.href, await fetch(action, { method: "POST", body, redirect: "manual", headers: sent }));
  }

  /** Opens a page and answers it. */
  async answer(url: string, fields: Record<string, string>): Promise<Visited> {
    return this.send(await this.open(url), fields);
  }

  get #cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async #visited(url: string, response: Response): Promise<Visited> {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: response.status, text: await response.text(), headers: response.headers, url };
  }
}

/** The address in a text for a model. */
export function pageIn(text: string | undefined): string {
  return /https?:\S+/.exec(text ?? "")![0];
}
