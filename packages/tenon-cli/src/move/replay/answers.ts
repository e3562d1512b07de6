/** What one client gets from a server: what it says of itself, and its answer to each planned request. */
import { type Client, ErrorCode, McpError } from "tenon/client";
import { isJsonObject, stringifyExact } from "tenon/internal";
import type { JsonObject } from "tenon";
import { LISTS, type Lists, type PlannedRequest, planOf } from "./plan.ts";
import { type Served, withClient } from "./served.ts";

/** The answer to a request: its result, or the error as `{ error }`. */
export interface Answer {
  /** Such as `tools/call add`, or `initialize`. */
  readonly title: string;
  readonly answer: unknown;
}

export interface Answers {
  readonly plan: readonly PlannedRequest[];
  readonly answers: readonly Answer[];
}

/** Milliseconds for one call: tools may have to reach what is not there. */
const CALL_TIMEOUT = 30_000;

/** @param plan what to send; default: what fits the lists of this server @throws what `connect` throws */
export function answersOf(served: Served, plan?: readonly PlannedRequest[]): Promise<Answers> {
  return withClient(served, "stateful", async (client) => {
    const { serverInfo, serverCapabilities, instructions, protocolVersion } = client;
    const first = { title: "initialize", answer: plain({ protocolVersion, serverInfo, capabilities: serverCapabilities, instructions }) };
    const planned = plan ?? planOf(await listsOf(client), plain(serverCapabilities) as JsonObject);
    const answers: Answer[] = [first];
    for (const { method, name, params } of planned)
      answers.push({ title: name === "" ? method : `${method} ${name}`, answer: await answerOf(client, method, params) });
    return { plan: planned, answers };
  });
}

async function listsOf(client: Client): Promise<Lists> {
  const read = async (member: keyof Lists): Promise<readonly JsonObject[]> => {
    const answer = await answerOf(client, LISTS[member], {});
    const list = isJsonObject(answer) ? answer[member] : undefined;
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  };
  return {
    tools: await read("tools"),
    resources: await read("resources"),
    resourceTemplates: await read("resourceTemplates"),
    prompts: await read("prompts"),
  };
}

async function answerOf(client: Client, method: string, params: JsonObject): Promise<unknown> {
  try {
    return plain(await client.request(method, params, { timeout: CALL_TIMEOUT }));
  } catch (error) {
    if (!McpError.isMcpError(error)) throw error;
    const { code, message } = error.toErrorData();
    return { error: { code, message } };
  }
}

/** Whether a server declares a list and has no handler for it, as some do. */
function isMissing(answer: unknown): boolean {
  return isJsonObject(answer) && isJsonObject(answer["error"]) && answer["error"]["code"] === ErrorCode.MethodNotFound;
}

/** A value as JSON has it. */
function plain(value: unknown): unknown {
  return JSON.parse(stringifyExact(value)) as unknown;
}

/** How many entries each list has on another revision; the failure of a list as its text. @throws what `connect` throws */
export function listedOn(
  served: Served,
  revision: "stateful" | Parameters<typeof withClient>[1],
): Promise<Readonly<Record<string, number | string>>> {
  return withClient(served, revision, async (client) => {
    const counts: Record<string, number | string> = {};
    for (const [member, method] of Object.entries(LISTS)) {
      if (client.serverCapabilities[member === "resourceTemplates" ? "resources" : (member as "tools")] === undefined) continue;
      const answer = await answerOf(client, method, {});
      const list = isJsonObject(answer) ? answer[member] : undefined;
      if (!isMissing(answer)) counts[member] = Array.isArray(list) ? list.length : JSON.stringify(answer);
    }
    return counts;
  });
}
