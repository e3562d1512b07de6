/**
 * The four ways of joining several servers: mounts of one server, the same with `tenon/compose` between them, a group, and a
 * gateway.
 *
 * Each way gets the same servers by name, and is used through the same few functions, so that one test body runs over all four.
 */
import { onTestFinished } from "vitest";
import { connect, McpServer, type JsonObject } from "tenon";
import { wrap } from "tenon/compose";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup, type ServerEntries } from "tenon/group";
import type { FeatureSource, Mountable } from "tenon/server";
import { testServer } from "../support/test-server.ts";

/** A tool as a client of the joined servers sees it. */
export interface SeenTool {
  readonly name: string;
  readonly _meta?: JsonObject | undefined;
}

/** Joined servers, as a client uses them. */
export interface Joined {
  tools(): Promise<readonly SeenTool[]>;
  uris(): Promise<string[]>;
  /** What a resource is read by if several servers have its URI: in a group its name. */
  addresses(): Promise<string[]>;
  call(name: string): Promise<string>;
  read(uri: string): Promise<string>;
  /** What was reported of the servers. */
  readonly errors: readonly Error[];
  close(): Promise<void>;
}

/** Servers of this process are mounted as they are; others by a group. */
type Servers = Readonly<Record<string, McpServer>> | ServerEntries;

/** One way of joining servers. */
export interface Way {
  readonly name: string;
  readonly join: (servers: Servers) => Promise<Joined>;
}

const unchanged = (source: Mountable): Mountable => source;
const throughMiddleware = (source: Mountable): FeatureSource => wrap(source, (next) => (context) => next(context));

export const WAYS: readonly Way[] = [
  { name: "server.mount", join: (servers) => mounted(servers, unchanged) },
  { name: "compose", join: (servers) => mounted(servers, throughMiddleware) },
  { name: "a group", join: grouped },
  { name: "a gateway", join: behindGateway },
];

async function mounted(servers: Servers, made: (source: Mountable) => Mountable): Promise<Joined> {
  const errors: Error[] = [];
  const server = testServer({ name: "all", onError: (error) => errors.push(error as Error) });
  const groups: ClientSessionGroup[] = [];
  for (const [name, entry] of Object.entries(servers)) {
    if (entry instanceof McpServer) {
      server.mount(name, made(entry));
      continue;
    }
    const group = new ClientSessionGroup({
      nameHook: (own) => own,
      onServerError: (error) => errors.push(error),
      readyTimeout: 0,
    });
    groups.push(group);
    await group.add({ [name]: entry });
    server.mount(name, made(group));
  }
  const client = await connect(server);
  return {
    ...(await throughClient(client)),
    errors,
    close: async () => {
      await client.close();
      await Promise.all(groups.map((group) => group.close()));
    },
  };
}

async function behindGateway(servers: Servers): Promise<Joined> {
  const errors: Error[] = [];
  const gateway = createGateway({ servers, onError: (error) => errors.push(error as Error) });
  onTestFinished(() => gateway.close());
  const client = await connect(gateway);
  return {
    ...(await throughClient(client)),
    errors,
    close: async () => {
      await client.close();
      await gateway.close();
    },
  };
}

async function throughClient(client: Awaited<ReturnType<typeof connect>>): Promise<Omit<Joined, "errors" | "close">> {
  onTestFinished(() => client.close());
  const uris = async (): Promise<string[]> => (await client.listResources()).resources.map(({ uri }) => uri);
  return {
    tools: async () => (await client.listTools()).tools,
    uris,
    addresses: uris,
    call: async (name) => (await client.callTool(name)).text,
    read: async (uri) => textOf(await client.readResource(uri)),
  };
}

async function grouped(servers: Servers): Promise<Joined> {
  const errors: Error[] = [];
  const group = new ClientSessionGroup({ onServerError: (error) => errors.push(error), readyTimeout: 500 });
  onTestFinished(() => group.close());
  await group.add(servers);
  return {
    tools: () => Promise.resolve([...group.tools].map(([name, tool]) => ({ ...tool, name }))),
    uris: () => Promise.resolve([...group.resources.values()].map(({ uri }) => uri)),
    addresses: () => Promise.resolve([...group.resources.keys()]),
    call: async (name) => (await group.callTool(name)).text,
    read: async (uri) => textOf(await group.readResource(uri)),
    errors,
    close: () => group.close(),
  };
}

function textOf({ contents }: { readonly contents: readonly object[] }): string {
  return contents.map((part) => ("text" in part ? String(part.text) : "")).join("");
}
