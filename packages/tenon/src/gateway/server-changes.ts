/** Replaces the servers of a gateway while it runs. Those that stay keep their connections; calls at the others get a time to end. */
import type { GatewayEntries } from "./credentials/entry.ts";
import type { GatewayParts } from "./parts.ts";
import { Upstream } from "./servers/upstream.ts";

/** What {@link Gateway.setServers} has done, by names of servers. */
export interface ServerChanges {
  /** Servers that are new. */
  readonly added: readonly string[];
  /** Servers that are gone. */
  readonly removed: readonly string[];
  /** Servers whose entry differs. */
  readonly changed: readonly string[];
}

/** @throws as {@link Gateway.setServers} */
export async function replaceServers(
  { settings, router, fronts, draining }: GatewayParts,
  entries: GatewayEntries,
): Promise<ServerChanges> {
  const known = new Map(router.servers.map((server) => [server.name, server]));
  const next = Object.entries(entries).map(([name, entry]) => {
    const server = known.get(name);
    return server?.isOf(entry) === true ? server : new Upstream(name, entry, settings);
  });
  router.replace(next);
  fronts.listsChanged();
  const current = new Set(next);
  await Promise.all([...known.values()].filter((server) => !current.has(server)).map((server) => draining.add(server)));
  return changesBetween(known, next);
}

function changesBetween(known: ReadonlyMap<string, Upstream>, next: readonly Upstream[]): ServerChanges {
  const names = new Set(next.map(({ name }) => name));
  const replaced = next.filter((server) => known.get(server.name) !== server).map(({ name }) => name);
  return {
    added: replaced.filter((name) => !known.has(name)),
    removed: [...known.keys()].filter((name) => !names.has(name)),
    changed: replaced.filter((name) => known.has(name)),
  };
}
