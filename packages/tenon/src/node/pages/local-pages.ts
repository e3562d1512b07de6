/**
 * Serves the pages of a server on 127.0.0.1, for a user whose client has started the server.
 *
 * Security: a name of another host that leads here (DNS rebinding) is refused, and forms count with the origin of this port only.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { decodeUtf8 } from "../../base/bytes.ts";
import type { PageRequest, Pages } from "../../dispatch/acceptor.ts";
import type { LocalPages } from "../../pages/local-pages.ts";
import { LoopbackListener } from "../login/loopback-listener.ts";
import { openBrowser } from "../login/open-browser.ts";

const HOST = "127.0.0.1";
const PATH = "/ask";
/** Most bytes of a form. */
const MAX_BODY = 65_536;

/** @throws Error if no port can be listened on */
export async function openLocalPages<Served extends Pages>(pagesAt: (url: URL) => Served): Promise<LocalPages<Served>> {
  const opened: { pages?: Served; host?: string } = {};
  const listener = await LoopbackListener.open(HOST, 0, (request, response) => void serve(request, response, opened));
  if (listener instanceof Error) throw listener;
  listener.unref();
  opened.host = `${HOST}:${listener.port}`;
  const pages = pagesAt(new URL(`http://${opened.host}${PATH}`));
  opened.pages = pages;
  return { pages, close: () => listener.close() };
}

/** Shows a page in the system's browser. @throws Error if there is none */
export function showPage(url: URL): Promise<void> {
  return openBrowser(url);
}

async function serve(request: IncomingMessage, response: ServerResponse, { pages, host }: { pages?: Pages; host?: string }): Promise<void> {
  const path = (request.url ?? "/").split("?", 1)[0]!;
  if (request.headers.host !== host || pages?.isAt(path) !== true) return void response.writeHead(404).end();
  try {
    const { status, headers, body } = await pages.respond(toPageRequest(request));
    response.writeHead(status, [...headers]).end(body);
  } catch {
    response.destroy(); // the body could not be read
  }
}

function toPageRequest(request: IncomingMessage): PageRequest {
  return {
    method: request.method ?? "GET",
    url: request.url ?? "/",
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    text: () => bodyOf(request),
  };
}

/** @throws RangeError if it is too long */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new RangeError("The form is too long");
    chunks.push(chunk);
  }
  return decodeUtf8(chunks);
}
