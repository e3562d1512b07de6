/** Waits for the servers behind a gateway that still connect: until then their tools are in no list. */
import { CONNECTING_KEY, isJsonObject, sleep, systemClock } from "tenon/internal";
import type { Client } from "tenon/client";
import { programTimesOf, type Invocation } from "../invocation.ts";

/** Milliseconds between two questions. */
const PAUSE = 200;

/** Waits as long as a program has to start, then says which servers are missing. Returns at once if there is nothing to wait for. */
export async function serversOfGateway(client: Client, { terminal, values, signal }: Invocation): Promise<void> {
  if (client.serverCapabilities.tools === undefined) return;
  const { start } = programTimesOf(values);
  const began = performance.now();
  for (let names = await connectingIn(client, signal); names.length > 0; names = await connectingIn(client, signal)) {
    if (performance.now() - began > start) return terminal.note(`Not connected yet, and not in this list: ${names.join(", ")}`);
    terminal.activity(`Waiting for ${names.join(", ")}`);
    await sleep(systemClock, PAUSE, signal);
  }
  terminal.clearProgress();
}

async function connectingIn(client: Client, signal: AbortSignal): Promise<string[]> {
  const { _meta: meta } = await client.listTools({}, { signal });
  const names: unknown = isJsonObject(meta) ? meta[CONNECTING_KEY] : undefined;
  if (names === true) return ["some servers"];
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
