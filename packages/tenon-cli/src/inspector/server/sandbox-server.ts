/**
 * Serves the sandbox page of views on a port of its own: another origin than the page, so a view reaches neither the page nor its key.
 *
 * Security: nothing is served here but the sandbox page, which has nothing secret in it, and which only the page can show in a frame.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandboxHandler } from "tenon/ext/apps/host";
import { closeListener, listen, serverOptions } from "tenon/internal";

const HOST = "127.0.0.1";

export class SandboxServer {
  readonly #listener: Server = createServer(serverOptions(), (request, response) => {
    // Any page can send a path that is not a URL.
    this.#serve(request, response).catch(() => response.writeHead(400).end());
  });
  #port = 0;
  #handle: ((request: Request) => Response) | undefined;

  /** Its origin: what the page may show in a frame. */
  get origin(): string {
    return `http://${HOST}:${this.#port}`;
  }

  /** Listens on the port after the page's, so that both can be forwarded; on any port if that one is taken. */
  async listen(pagePort: number): Promise<void> {
    const port = pagePort > 0 && pagePort < 65_535 ? pagePort + 1 : 0;
    await listen(this.#listener, port, HOST).catch(() => listen(this.#listener, 0, HOST));
    this.#port = (this.#listener.address() as AddressInfo).port; // it listens on a port
  }

  serve(pagePort: number): void {
    this.#handle = createSandboxHandler({ hosts: [`http://${HOST}:${pagePort}`, `http://localhost:${pagePort}`] });
  }

  async close(): Promise<void> {
    await closeListener(this.#listener);
  }

  async #serve({ method = "GET", url = "/", headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (headers.host !== `${HOST}:${this.#port}` || this.#handle === undefined) return void response.writeHead(421).end();
    const served = this.#handle(new Request(new URL(url, this.origin), { method }));
    response.writeHead(served.status, Object.fromEntries(served.headers)).end(await served.text());
  }
}
