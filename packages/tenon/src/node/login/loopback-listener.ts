/**
 * Listens for a user who comes back from a login, on this machine only.
 *
 * The name `localhost` may mean the IPv4 or the IPv6 address, so both are listened on, at the same port. If another program has one of them,
 * the port is not used, because the browser could hand the code to that program.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallbackHost } from "../../auth/grants/redirection.ts";
import { listen } from "../http/listen.ts";

/** The addresses of each name. The first one chooses the port. */
const ADDRESSES: Readonly<Record<CallbackHost, readonly string[]>> = {
  "127.0.0.1": ["127.0.0.1"],
  "::1": ["::1"],
  localhost: ["127.0.0.1", "::1"],
};
/** Failures of a machine that has no IPv6. */
const NO_SUCH_ADDRESS: readonly unknown[] = ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"];
/** How many free ports are tried until one is free at both addresses. */
const TRIES = 5;

export function isCallbackHost(name: unknown): name is CallbackHost {
  return typeof name === "string" && Object.hasOwn(ADDRESSES, name);
}

export class LoopbackListener {
  readonly port: number;
  readonly #servers: readonly Server[];

  private constructor(port: number, servers: readonly Server[]) {
    this.port = port;
    this.#servers = servers;
  }

  /** @param port 0 for any that is free @returns the failure if it cannot listen */
  static async open(host: CallbackHost, port: number, listener: RequestListener): Promise<LoopbackListener | Error> {
    const tries = port === 0 ? TRIES : 1;
    for (let tried = 1; ; tried++) {
      const outcome = await LoopbackListener.#at(host, port, listener);
      if (!(outcome instanceof Error) || tried >= tries) return outcome;
    }
  }

  static async #at(host: CallbackHost, port: number, listener: RequestListener): Promise<LoopbackListener | Error> {
    const servers: Server[] = [];
    let chosen = port;
    for (const address of ADDRESSES[host]) {
      const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 10_000, keepAlive: false }, listener);
      const failure = await listen(server, chosen, address).then(
        () => undefined,
        (error: Error) => error,
      );
      if (failure === undefined) {
        servers.push(server);
        chosen = (server.address() as AddressInfo).port; // the server listens on a port
      } else if (servers.length === 0 || !NO_SUCH_ADDRESS.includes((failure as NodeJS.ErrnoException).code)) {
        await closeAll(servers);
        return failure;
      }
    }
    return new LoopbackListener(chosen, servers);
  }

  close(): Promise<void> {
    return closeAll(this.#servers);
  }
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    ),
  );
}
