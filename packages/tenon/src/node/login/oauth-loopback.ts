/**
 * A login with a browser on this machine: opens the page, and waits for the user at a server on a loopback address that exists
 * for this login only (RFC 8252 section 7.3).
 *
 * Security: requests with another path, host, method or `state` get a response and change nothing. The page is always the
 * same and repeats nothing of the request.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { unlessAborted } from "../../base/abort.ts";
import { htmlPage } from "../../base/text/html-page.ts";
import { AuthorizationError } from "../../auth/authorization-error.ts";
import {
  type CallbackHost,
  type LoginPage,
  type LoopbackOptions,
  type OpenPage,
  type Redirection,
  pathBelow,
} from "../../auth/grants/redirection.ts";
import { isCallbackHost, LoopbackListener } from "./loopback-listener.ts";
import { openBrowser } from "./open-browser.ts";

/** Where the user comes back. */
interface Place {
  readonly host: CallbackHost;
  readonly path: string;
}

/** @throws RangeError if the port, the host or the path is invalid */
export function loopback({ port, host = "127.0.0.1", path = "/callback", open = openBrowser }: LoopbackOptions = {}): Redirection {
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
    throw new RangeError(`Option "port" must be a port from 1 to 65535, not ${port}`);
  if (!isCallbackHost(host))
    throw new RangeError(`Option "callbackHost" must be "127.0.0.1", "localhost" or "::1", not ${JSON.stringify(host)}`);
  if (!isCallbackPath(path))
    throw new RangeError(`Option "callbackPath" must be the path of a URL, such as "/callback", not ${JSON.stringify(path)}`);
  return {
    isForIssuers: true,
    begin: (previous, signal, segment) => {
      const place = { host, path: segment === undefined ? path : pathBelow(path, segment) };
      return beginLogin(open, { place, shared: { host, path }, fixed: port, previous }, signal);
    },
  };
}

/** Whether it is the path of a URL as it arrives in a request, without query and fragment. */
export function isCallbackPath(path: unknown): boolean {
  return typeof path === "string" && /^\/[^?#]*$/.test(path) && new URL(`http://localhost${path}`).pathname === path;
}

interface Wish {
  readonly place: Place;
  /** The place for all issuers. A registration with it keeps it. */
  readonly shared: Place;
  readonly fixed: number | undefined;
  /** The redirect URI of an earlier login. */
  readonly previous: string | undefined;
}

async function beginLogin(open: OpenPage, wish: Wish, signal: AbortSignal): Promise<LoginPage> {
  const page = await listening(open, wish);
  if (signal.aborted) await page.close();
  signal.throwIfAborted();
  return page;
}

/** Listens where an earlier login did, if it can; else at a free port. */
async function listening(open: OpenPage, { place, shared, fixed, previous }: Wish): Promise<LoopbackPage> {
  const sharedPort = portOf(previous, shared);
  const isShared = sharedPort > 0 && (fixed ?? sharedPort) === sharedPort;
  const wanted = fixed ?? (isShared ? sharedPort : portOf(previous, place));
  const page = new LoopbackPage(isShared ? shared : place, open);
  const failure = await page.listen(wanted);
  if (failure === undefined) return page;
  if (wanted === 0 || fixed !== undefined) throw cannotListen(place, wanted, failure);
  const other = new LoopbackPage(place, open);
  const again = await other.listen(0);
  if (again !== undefined) throw cannotListen(place, 0, again);
  return other;
}

/** The port of a redirect URI that this program registered; 0 (any port) for others. */
function portOf(redirectUri: string | undefined, { host, path }: Place): number {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return 0;
  const { hostname, pathname, port } = new URL(redirectUri);
  return hostname === nameInUrl(host) && pathname === path ? Number(port) : 0;
}

function nameInUrl(host: CallbackHost): string {
  return host === "::1" ? "[::1]" : host;
}

function cannotListen({ host, path }: Place, port: number, cause: Error): AuthorizationError {
  const url = `http://${nameInUrl(host)}:${port}${path}`;
  return new AuthorizationError({
    hop: "callback",
    url,
    problem: "nothing can listen there for the user",
    remedy: 'Choose another port (option "port").',
    cause,
  });
}

class LoopbackPage implements LoginPage {
  readonly #place: Place;
  readonly #open: OpenPage;
  #listener: LoopbackListener | undefined;
  #waiting: { readonly state: string; readonly resolve: (url: URL) => void } | undefined;

  constructor(place: Place, open: OpenPage) {
    this.#place = place;
    this.#open = open;
  }

  /** Returns the failure if it cannot listen at that port. */
  async listen(port: number): Promise<Error | undefined> {
    const outcome = await LoopbackListener.open(this.#place.host, port, (request, response) => this.#answer(request, response));
    if (outcome instanceof Error) return outcome;
    this.#listener = outcome;
    return undefined;
  }

  /** As browsers write it: without the port if it is 80. */
  get #host(): string {
    return new URL(`http://${nameInUrl(this.#place.host)}:${this.#listener!.port}`).host; // the page is used once it listens
  }

  get redirectUri(): string {
    return `http://${this.#host}${this.#place.path}`;
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
    if (arrived?.origin !== `http://${this.#host}` || arrived.pathname !== this.#place.path) return reply(response, NOT_FOUND);
    const states = arrived.searchParams.getAll("state");
    const waiting = this.#waiting;
    if (waiting === undefined || states.length !== 1 || states[0] !== waiting.state) return reply(response, NO_LOGIN);
    this.#waiting = undefined;
    response.once("close", () => waiting.resolve(arrived));
    reply(response, ARRIVED);
  }

  async close(): Promise<void> {
    this.#waiting = undefined;
    await this.#listener?.close();
  }
}

/** What a user sees after a login. It cannot say whether the login worked; the program does. Security: no text of a request. */
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
  const { headers, html } = htmlPage(title, `<p>${text}</p>`);
  response.writeHead(status, [...headers, "Connection", "close"]).end(html);
}
