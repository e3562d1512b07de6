/** An open conversation in one line: who answers, in which revision, and what it can do. */
import type { Client } from "../../client/client.ts";

export function describeClient({ serverInfo, protocolVersion, serverCapabilities }: Client): string {
  const name = serverInfo === undefined ? "a server without a name" : `${serverInfo.name} ${serverInfo.version}`;
  const offers = Object.entries(serverCapabilities)
    .filter(([, value]) => value !== undefined)
    .map(([capability]) => capability);
  return `${name} speaks ${protocolVersion}: ${offers.length === 0 ? "no capabilities" : offers.join(", ")}`;
}
