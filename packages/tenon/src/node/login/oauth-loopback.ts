/**
 * A login with a browser on this machine: opens the page, and waits for the user at a server on 127.0.0.1 that exists for
 * this login only (RFC 8252 section 7.3).
 *
 * Security: requests with another path, host, method or `state` get a response and change nothing. The page is always the
 * same and repeats nothing of the request.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { unlessAborted } from "../../base/abort.ts";
import { AuthorizationError } from "../../auth/authorization-error.ts";
import type { LoginPage, OpenPage, Redirection } from "../../auth/grants/redirection.ts";
import { loopbackPage, PAGE_HEADERS } from "./loopback-page.ts";
import { openBrowser } from "./open-browser.ts";

export interface LoopbackOptions {
  /** The port. Default: a free one, used again for later logins while it is free. */
  readonly port?: number;
  /** Shows the page. Default: the system's browser. */
  readonly open?: OpenPage | undefined;
}

const HOST = "127.0.0.1";
const PATH = "/callback";

/** @throws RangeError if the port is invalid */
export function loopback({ port, open = openBrowser }: LoopbackOptions = {}): Redirection {
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
    throw new RangeError(`Option "port" must be a port from 1 to 65535, not ${port}`);
  return { begin: (previous, signal) => beginLogin(open, { fixed: port, previous: portOf(previous) }, signal) };
}

async function beginLogin(open: OpenPage, ports: { fixed: number | undefined; previous: number }, signal: AbortSignal): Promise<LoginPage> {
  const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 10_000, keepAlive: false });
  const wanted = ports.fixed ?? ports.previous;
  const failure = await listen(server, wanted);
  if (failure !== undefined && (wanted === 0 || ports.fixed !== undefined)) throw cannotListen(wanted, failure);
  if (failure !== undefined) {
    const again = await listen(server, 0);
    if (again !== undefined) throw cannotListen(0, again);
  }
  signal.throwIfAborted();
  return new LoopbackPage(server, open);
}

/** The port of a redirect URI that this program registered; 0 (any port) for others. */
function portOf(redirectUri: string | undefined): number {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return 0;
  const { hostname, pathname, port } = new URL(redirectUri);
  return hostname === HOST && pathname === PATH ? Number(port) : 0;
}

/** Undefined once it listens. */
function listen(server: Server, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const onError = (error: Error): void => resolve(error);
    server.once("error", onError);
    server.listen(port, HOST, () => {
      server.off("error", onError);
      resolve(undefined);
    });
  });
}

function cannotListen(port: number, cause: Error): AuthorizationError {
  const url = `http://${HOST}:${port}${PATH}`;
  return new AuthorizationError({
    hop: "callback",
    url,
    problem: "nothing can listen there for the user",
    remedy: 'Choose another port (option "port").',
    cause,
  });
}

class LoopbackPage implements LoginPage {
  readonly redirectUri: string;
  readonly #server: Server;
  readonly #open: OpenPage;
  readonly #host: string;
  #waiting: { readonly state: string; readonly resolve: (url: URL) => void } | undefined;

  constructor(server: Server, open: OpenPage) {
    this.#server = server;
    this.#open = open;
    this.#host = `${HOST}:${(server.address() as AddressInfo).port}`; // the server listens on a port
    this.redirectUri = `http://${this.#host}${PATH}`;
    server.on("request", (request, response) => this.#answer(request, response));
  }

  async visit(page: URL, state: string, signal: AbortSignal): Promise<URL> {
    signal.throwIfAborted();
    const arrival = new Promise<URL>((resolve) => {
      this.#waiting = { state, resolve };
    });
    const [url] = await Promise.all([unlessAborted(arrival, signal), this.#show(page, signal)]);
    return url;
  }

  async #show(page: URL, signal: AbortSignal): Promise<void> {
    try {
      await this.#open(page, signal);
    } catch (cause) {
      signal.throwIfAborted();
      const remedy = 'Show the page in another way (option "open"), or use another grant, such as deviceCode().';
      throw new AuthorizationError({ hop: "authorization", url: page, problem: "the login page could not be opened", remedy, cause });
    }
  }

  #answer({ method, url = "", headers }: IncomingMessage, response: ServerResponse): void {
    if (headers.host !== this.#host) return reply(response, ANOTHER_SERVER);
    if (method !== "GET") return reply(response, NOT_GET);
    const arrived = URL.canParse(url, this.redirectUri) ? new URL(url, this.redirectUri) : undefined;
    if (arrived?.origin !== `http://${this.#host}` || arrived.pathname !== PATH) return reply(response, NOT_FOUND);
    const states = arrived.searchParams.getAll("state");
    const waiting = this.#waiting;
    if (waiting === undefined || states.length !== 1 || states[0] !== waiting.state) return reply(response, NO_LOGIN);
    this.#waiting = undefined;
    response.once("close", () => waiting.resolve(arrived));
    reply(response, ARRIVED);
  }

  close(): Promise<void> {
    this.#waiting = undefined;
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

interface Page {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

const ANOTHER_SERVER: Page = { status: 421, title: "Not this server", text: "The request was for another server than this one." };
const NOT_GET: Page = { status: 405, title: "Not allowed", text: "This page is only for a browser that comes back from a login." };
const NOT_FOUND: Page = { status: 404, title: "Not found", text: "There is nothing here." };
const NO_LOGIN: Page = {
  status: 400,
  title: "No login is waiting",
  text: "It has ended, or this is not the page it waits for. Begin again in the program.",
};
const ARRIVED: Page = {
  status: 200,
  title: "You can close this page",
  text: "Your answer has reached the program. It goes on there, and says whether the login worked.",
};

function reply(response: ServerResponse, { status, title, text }: Page): void {
  response.writeHead(status, PAGE_HEADERS);
  response.end(loopbackPage(title, text));
}
