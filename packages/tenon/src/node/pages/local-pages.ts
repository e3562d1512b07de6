/**
 * Serves the pages of a server on 127.0.0.1, for a user whose client has started the server.
 *
 * Security: a name of another host that leads here (DNS rebinding) is refused, and forms count with the origin of this port only.
 */
import type { Pages } from "../../dispatch/acceptor.ts";
import type { LocalPages } from "../../pages/local-pages.ts";
import { pathOf } from "../../server/http/endpoint/guard.ts";
import type { HttpRequest, HttpResponse } from "../../server/http/http-message.ts";
import { listenOnLoopback } from "../http/listen-on-loopback.ts";
import { openBrowser } from "../login/open-browser.ts";

const HOST = "127.0.0.1";
const PATH = "/ask";

/** @throws Error if no port can be listened on */
export async function openLocalPages<Served extends Pages>(pagesAt: (url: URL) => Served): Promise<LocalPages<Served>> {
  const opened: { pages?: Served; host?: string } = {};
  const listener = await listenOnLoopback((request) => respond(request, opened), { port: 0, host: HOST });
  listener.unref();
  opened.host = `${HOST}:${listener.port}`;
  const pages = pagesAt(new URL(`http://${opened.host}${PATH}`));
  opened.pages = pages;
  return { pages, close: () => listener.close() };
}

async function respond(request: HttpRequest, { pages, host }: { pages?: Pages; host?: string }): Promise<HttpResponse> {
  if (request.header("host") !== host || pages?.isAt(pathOf(request.url)) !== true) return { status: 404, headers: [] };
  return pages.respond(request);
}

/** Shows a page in the system's browser. @throws Error if there is none */
export function showPage(url: URL): Promise<void> {
  return openBrowser(url);
}
