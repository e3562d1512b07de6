/** Opens what a Node server listens on: a port, or a Unix socket. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpEndpoint, ServeHttpOptions } from "./http-endpoint.ts";
import { explainListenError, urlOf } from "./listen-options.ts";

const BACKLOG = 4_096;

export type Place = Pick<HttpEndpoint, "url" | "port" | "socket">;

/** Resolves when it listens where the options say. @throws Error with Node's `code` if it cannot; it names the option that changes that */
export async function listenAt(listener: Server, options: ServeHttpOptions): Promise<Place> {
  const { port = 3000, host = "127.0.0.1", path = "/mcp", socket, socketMode } = options;
  if (socket !== undefined) {
    const { listenOnSocket } = await import("./listen-on-socket.ts");
    const at = await listenOnSocket(listener, socket, BACKLOG, socketMode);
    return { url: `http://localhost${path}`, port: 0, socket: at };
  }
  await listen(listener, port, host);
  const address = listener.address() as AddressInfo; // the server listens on a port
  return { url: urlOf(host, address.port, path), port: address.port };
}

/** Resolves when it listens. @throws Error with Node's `code` if it cannot; it names the option that changes that */
export function listen(listener: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(explainListenError(error, port, host));
    listener.once("error", onError);
    listener.listen(port, host, BACKLOG, () => {
      listener.off("error", onError);
      resolve();
    });
  });
}
