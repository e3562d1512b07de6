/**
 * What tests of gateways begin with: a gateway and its clients, or a configuration file. All of it ends when the test has
 * finished.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions } from "tenon";
import { createGateway, type Gateway, type GatewayOptions } from "tenon/gateway";
import type { EndpointAuth } from "tenon/server";

/** A gateway whose errors are not reported, and whose lists wait for its servers, however busy the machine is. */
export function gatewayOf(options: GatewayOptions): Gateway {
  const patience = options.clock === undefined ? { readyTimeout: 60_000 } : {};
  const gateway = createGateway({ ...patience, onError: () => undefined, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** A client of a gateway in the same process. */
export async function clientOf(gateway: Gateway, options?: ConnectOptions): Promise<Client> {
  const client = await connect(gateway, options);
  onTestFinished(() => client.close());
  return client;
}

/** The token of a caller is its name. */
export const byName: EndpointAuth = {
  authorize: (request) => ({
    auth: { issuer: "https://as.example", scopes: [], claims: {} },
    principal: request.header("authorization") ?? "nobody",
    until: Infinity,
  }),
  insufficientScope: () => ({ status: 403, headers: [], message: "Insufficient scope" }),
};

/** A configuration file in a folder of its own, which is deleted when the test has finished. */
export interface ConfigSetup {
  readonly file: string;
  readonly folder: string;
  readonly write: (config: object) => Promise<void>;
  /** The environment of a user of its own. */
  readonly user: { readonly env: { readonly XDG_CONFIG_HOME: string } };
}

export async function configFile(config: object): Promise<ConfigSetup> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "mcp.json");
  const write = (next: object): Promise<void> => writeFile(file, JSON.stringify(next, undefined, 2));
  await write(config);
  return { file, folder, write, user: { env: { XDG_CONFIG_HOME: join(folder, "user") } } };
}
