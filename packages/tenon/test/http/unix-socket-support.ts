/** A folder of a test's own for Unix sockets. Its path is short, because the system limits it. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions, type Servable } from "tenon";
import { serveHttp, socketFetch, type HttpEndpoint, type ServeHttpOptions } from "tenon/node";
import { closing } from "../support/matrix.ts";

/** The path of a socket that does not exist yet. */
export function socketPath(): string {
  return join(socketFolder(), "s.sock");
}

export function socketFolder(): string {
  const folder = mkdtempSync("/tmp/t-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Serves until the test has finished. */
export async function serveOn(socket: string, server: Servable, options: ServeHttpOptions = {}): Promise<HttpEndpoint> {
  const endpoint = await serveHttp(server, { socket, ...options });
  onTestFinished(() => endpoint.close());
  return endpoint;
}

/** A client of what listens on a socket. */
export function clientOf(socket: string, options?: ConnectOptions): Promise<Client> {
  return closing(connect({ url: "http://localhost/mcp", fetch: socketFetch(socket) }, options));
}
