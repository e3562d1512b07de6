/**
 * The hop about the messages of a server: reads its lists, and says what in them and in the handshake deviates from the protocol.
 *
 * A client reads what deviates (docs/project/deviations.md), so the hop fails only with `--strict`.
 */
import type { Client, Deviation } from "tenon/client";
import { onEveryDeviation } from "tenon/internal";
import type { Invocation } from "../invocation.ts";
import type { DiscoveryFindings } from "./discovery-hops.ts";
import type { Subject } from "./subject.ts";
import { connectAs } from "./token-hops.ts";
import { HopFailure, ok, skipped, type HopResult } from "./walk.ts";

const FIX = "The author of the server must write what the revision wants; each place is listed above.";

/** @param deviations what the client has met so far; it adds what the lists have */
export async function checkMessages(
  client: Client | undefined,
  deviations: readonly Deviation[],
  { values }: Pick<Invocation, "values">,
): Promise<HopResult<unknown>> {
  if (client === undefined) return skipped("there is no conversation");
  await readLists(client);
  if (deviations.length === 0) return ok("nothing deviates from the protocol in the handshake and the lists");
  const kinds = [...new Set(deviations.map(({ kind }) => kind))].join(", ");
  const found = `${deviations.length} ${deviations.length === 1 ? "place deviates" : "places deviate"} from ${client.protocolVersion}: ${kinds}`;
  const all = [...deviations];
  if (values.strict === true) throw Object.assign(new HopFailure(found, FIX), { deviations: all });
  return { ...ok(`${found}; --strict lists all`), ...(values.json === true && { deviations: all }) };
}

/** The same for a server at a URL, on a connection of its own. */
export async function checkMessagesOf(subject: Subject, { open, failure }: DiscoveryFindings): Promise<HopResult<unknown>> {
  const { stored, typed, invocation } = subject;
  if (open === undefined && stored === undefined && typed === undefined)
    return skipped(failure === undefined ? "no login is stored" : "there is no conversation");
  const deviations: Deviation[] = [];
  let client: Client;
  try {
    client = await connectAs(
      subject,
      onEveryDeviation((deviation) => void deviations.push(deviation)),
    );
  } catch {
    invocation.signal.throwIfAborted();
    return skipped("the server cannot be reached, as said above");
  }
  try {
    return await checkMessages(client, deviations, invocation);
  } finally {
    await client.close();
  }
}

/** Reads what a server lists. A list that fails says nothing of the messages. */
async function readLists(client: Client): Promise<void> {
  const { tools, prompts, resources } = client.serverCapabilities;
  const lists = [
    ...(tools ? [client.tools()] : []),
    ...(prompts ? [client.prompts()] : []),
    ...(resources ? [client.resources(), client.resourceTemplates()] : []),
  ];
  for (const list of lists) await readToEnd(list).catch(() => undefined);
}

async function readToEnd(list: AsyncIterable<unknown>): Promise<void> {
  const entries = list[Symbol.asyncIterator]();
  while ((await entries.next()).done !== true);
}
