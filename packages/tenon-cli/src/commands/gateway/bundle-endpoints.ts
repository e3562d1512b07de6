/** The endpoints of bundles, each below the gateway's: `/mcp/sales`. They come and go with the configuration file. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gateway } from "tenon/gateway";
import { toNodeHandler, type NodeHandler, type NodeHttpOptions } from "tenon/node";
import type { EndpointAuth } from "tenon/auth";
import type { Callers } from "./callers.ts";

/** The path of the gateway's own endpoint. */
const PATH = "/mcp";

interface Served {
  readonly auth: EndpointAuth;
  readonly handler: NodeHandler;
}

export class BundleEndpoints {
  readonly #gateway: Gateway;
  readonly #callers: Callers;
  readonly #options: Omit<NodeHttpOptions, "auth">;
  readonly #served = new Map<string, Served>();

  /** @param options of each endpoint */
  constructor(gateway: Gateway, callers: Callers, options: Omit<NodeHttpOptions, "auth">) {
    this.#gateway = gateway;
    this.#callers = callers;
    this.#options = options;
  }

  /** Responds to a request for a bundle; false if the URL is of none. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const path = (request.url ?? "").replace(/\?.*$/s, "");
    const [, name] = /\/mcp\/([\w-]{1,64})\/?$/.exec(path) ?? [];
    if (name === undefined || !this.#callers.hasBundle(name)) return false;
    const { auth, handler } = this.#of(name);
    const isPublic = auth.metadata?.paths.includes(path) === true;
    if (!isPublic && path !== bundlePath(name) && path !== `${bundlePath(name)}/`) return false;
    handler(request, response);
    return true;
  }

  #of(name: string): Served {
    let served = this.#served.get(name);
    if (served === undefined) {
      const auth = this.#callers.doorOf(name);
      this.#served.set(name, (served = { auth, handler: toNodeHandler(this.#gateway, { ...this.#options, auth }) }));
    }
    return served;
  }

  /** Ends running calls as the gateway's endpoint does. */
  async drain(ms: number): Promise<void> {
    await Promise.all([...this.#served.values()].map(({ handler }) => handler.drain(ms)));
  }
}

export function bundlePath(name: string): string {
  return `${PATH}/${name}`;
}
