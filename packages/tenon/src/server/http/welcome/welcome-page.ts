/**
 * The page that a user sees who opens an endpoint in a browser (option `welcome`): what the server is, and how to add it to each host.
 * Loaded with the first request for it.
 *
 * Security: it is public. With `auth` it has the name of the server only; without, also what every client receives. It has no scripts.
 */
import { escapeHtml, htmlPage, type Stylesheet } from "../../../base/text/html-page.ts";
import type { EndpointAuth } from "../../../auth/resource-server/endpoint-auth.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { Implementation } from "../../../protocol/capabilities.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { HttpOptions } from "../options.ts";
import { publicTools, type PublicTool } from "./public-tools.ts";
import { waysToAdd, type WayToAdd } from "./ways-to-add.ts";
import { isLoopback, pathOf } from "../endpoint/guard.ts";

/** Beside the stylesheet of all pages: a wider column, cards and links that look like buttons. */
const css = `
main { max-width: 60rem; padding: 2rem 1.5rem 4rem; }
h1 { font-size: 2rem; margin: 1.5rem 0 0; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 0.75rem; }
.kind { margin: 0.25rem 0 1.25rem; opacity: 0.75; }
.about { max-width: 40rem; margin: 0 0 1.25rem; }
code { user-select: all; }
code.address { font-size: 1.0625rem; background: #8881; }
.hosts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 1rem; list-style: none; padding: 0; }
.hosts li { display: flex; flex-direction: column; gap: 0.75rem; padding: 1rem; border: 1px solid var(--line); border-radius: 0.75rem; }
.hosts h3 { font-size: 1rem; margin: 0; }
.hosts p { margin: 0; font-size: 0.9375rem; opacity: 0.85; }
.hosts code { display: block; padding: 0.625rem 0.75rem; border-radius: 0.5rem; background: #8882; overflow-wrap: anywhere; }
.hosts code span { display: inline-block; }
a { color: var(--accent); }
a.button { display: block; text-align: center; text-decoration: none; font-weight: 600; padding: 0.6rem 1rem; border-radius: 0.5rem; background: var(--accent); color: var(--on); }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.tools { display: grid; gap: 0.625rem; list-style: none; padding: 0; }
.tools li { padding-left: 0.875rem; border-left: 0.1875rem solid var(--line); }
.tools strong { font: 600 0.9375rem ui-monospace, monospace; }
.tools span { display: block; opacity: 0.85; }
.last { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.9375rem; }
`;

/** The hash is a constant, because only Node computes it at once; a test compares it. */
const WELCOME_STYLE: Stylesheet = { css, hash: "XHL0ERSbH09o+/wyDz8L0mgFn4h2dOM8kskqj7J5/ts=" };

/** Most tools that are shown, and most characters of a text. */
const [MAX_TOOLS, MAX_TEXT] = [50, 400];
const UNNAMED: Implementation = { name: "MCP server", version: "" };

export class WelcomePage {
  readonly #info: Implementation;
  readonly #options: HttpOptions;
  readonly #serve: (request: HttpRequest) => MaybePromise<HttpResponse>;

  /** @param serve responds to a request that comes from no client, as the endpoint does */
  constructor(server: Acceptor, options: HttpOptions, serve: (request: HttpRequest) => MaybePromise<HttpResponse>) {
    this.#info = (server as { readonly info?: Implementation }).info ?? UNNAMED; // an acceptor of your own may have none
    this.#options = options;
    this.#serve = serve;
  }

  async respond(request: HttpRequest): Promise<HttpResponse> {
    const { auth } = this.#options;
    const tools = auth === undefined ? await publicTools(this.#serve, request) : [];
    const url = addressOfEndpoint(this.#options, request);
    const { name, title = name } = this.#info;
    const content = [
      auth === undefined ? about(this.#info) : closed(auth),
      address(url),
      hosts(waysToAdd(name, url)),
      toolList(tools),
      last(url),
    ];
    const { headers, html } = htmlPage(title, content.join(""), [], WELCOME_STYLE);
    return { status: 200, headers: [...headers, "Vary", "Accept"], body: html };
  }
}

const KIND = "MCP server: it gives tools and data to AI applications.";

/** What a stranger reads of a server that is not open. Without metadata there is no login: only a key or a token opens it. */
function closed({ metadata }: EndpointAuth): string {
  const how =
    metadata === undefined
      ? "It asks for a key or a token that you have been given. Your application sends it in a header: <code>Authorization: Bearer &lt;key&gt;</code>"
      : "It asks for a login, or for a key that you have been given, when an application connects.";
  return `<p class="kind">${KIND}</p><p class="about">${how}</p>`;
}

function about({ version, description, websiteUrl }: Implementation): string {
  const site =
    websiteUrl !== undefined && /^https?:/i.test(websiteUrl) ? `<a href="${escapeHtml(websiteUrl)}">${escapeHtml(websiteUrl)}</a>` : "";
  const said = description === undefined ? "" : `<p class="about">${text(description)}</p>`;
  return `<p class="kind">${KIND}${version === "" ? "" : ` Version ${text(version)}.`}</p>${said}${site === "" ? "" : `<p>${site}</p>`}`;
}

function address(url: string): string {
  return `<code class="address">${escapeHtml(url)}</code>`;
}

function hosts(ways: readonly WayToAdd[]): string {
  return `<h2>Add it to your application</h2><ul class="hosts">${ways.map(card).join("")}</ul>`;
}

function card({ host, link, label, command, note }: WayToAdd): string {
  const button = link === undefined ? "" : `<a class="button" rel="noreferrer" href="${escapeHtml(link)}">${escapeHtml(label ?? host)}</a>`;
  const code = command === undefined ? "" : `<p>In a terminal:</p><code>${words(command)}</code>`;
  return `<li><h3>${escapeHtml(host)}</h3>${button}${code}${note === undefined ? "" : `<p>${escapeHtml(note)}</p>`}</li>`;
}

/** A command whose lines break between its words: a browser also breaks them behind a hyphen, as in `--host`. */
function words(command: string): string {
  return command
    .split(" ")
    .map((word) => `<span>${escapeHtml(word)}</span>`)
    .join(" ");
}

function toolList(tools: readonly PublicTool[]): string {
  if (tools.length === 0) return "";
  const rows = tools.slice(0, MAX_TOOLS).map(({ name, description }) => {
    return `<li><strong>${text(name)}</strong>${description === "" ? "" : `<span>${text(description)}</span>`}</li>`;
  });
  const rest = tools.length - rows.length;
  return `<h2>What it can do</h2><ul class="tools">${rows.join("")}</ul>${rest > 0 ? `<p>And ${rest} more.</p>` : ""}`;
}

function last(url: string): string {
  return `<p class="last">Other applications take the address, as a server with the transport “Streamable HTTP”. To look at it yourself: <code>npx tenon inspect ${escapeHtml(url)}</code></p>`;
}

/** Text that others wrote: cut, and never markup. */
function text(whole: string): string {
  return escapeHtml(whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT)}…` : whole);
}

/** The address: what the options say of it, else what the browser has requested. */
export function addressOfEndpoint({ welcome, card, auth }: HttpOptions, request: HttpRequest): string {
  const address = typeof welcome === "object" ? welcome.url : undefined;
  const resource = auth?.metadata?.document["resource"];
  const known = address ?? card?.url ?? (typeof resource === "string" && URL.canParse(resource) ? resource : undefined);
  return plainAddress(known ?? requested(request));
}

/** The URL that was requested. A proxy that ends TLS is not seen: a name without a port is taken for `https:`, unless it is this machine. */
function requested(request: HttpRequest): string {
  const { url } = request;
  const host = request.header("host");
  if (/^https?:/i.test(url) || host === undefined || !URL.canParse(`http://${host}`)) return url;
  const { hostname, port } = new URL(`http://${host}`);
  const isPlain = isLoopback(hostname) || port !== "";
  return `${isPlain ? "http" : "https"}://${host}${pathOf(url)}`;
}

/**
 * The URL without a query, a fragment and a user. Security: it becomes part of commands that users copy, so that every character of its path
 * that means something in a shell is percent-encoded.
 */
function plainAddress(text: string): string {
  if (!URL.canParse(text)) return "http://localhost/mcp";
  const { protocol, host, pathname } = new URL(text);
  const path = pathname.replace(/[^\w/.~%-]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return `${protocol}//${host}${path}`;
}
