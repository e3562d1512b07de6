/**
 * Processes that serve tools which ask, and clients that answer by hand: they can send a state as often as they like, and to any
 * process.
 */
import { onTestFinished } from "vitest";
import {
  McpServer,
  type CallToolResult,
  type Client,
  type InputRequiredResult,
  type InputResponses,
  type RequestContext,
  type RequestStateOptions,
} from "tenon";
import { open } from "../support/matrix.ts";

const KEY = "0123456789abcdef0123456789abcdef";
export const FORM = { type: "object", properties: {} } as const;
export const yes: InputResponses = { ok: { action: "accept", content: {} } };

export type Handler = (ctx: RequestContext) => Promise<string>;

export interface Node {
  client: Client;
  told: unknown[];
  /** The principal that the middleware sets. */
  caller: { principal: string | undefined };
}

/**
 * One process that serves these tools, and a client that answers the questions itself. Nodes share `KEY` and what is in
 * `requestState`.
 */
export async function node(tools: Readonly<Record<string, Handler>>, requestState: RequestStateOptions = {}): Promise<Node> {
  const told: unknown[] = [];
  const caller: Node["caller"] = { principal: undefined };
  const server = new McpServer(
    { name: "s", version: "1" },
    { requestState: { keys: [KEY], ...requestState }, onError: (error) => void told.push(error) },
  );
  server.use((next) => (context) => {
    context.principal = caller.principal;
    return next(context);
  });
  for (const [name, handler] of Object.entries(tools)) server.tool(name, {}, (_input, ctx) => handler(ctx));
  const client = await open("direct", server, {
    revision: "2026-07-28",
    onElicit: () => ({ action: "accept", content: {} }),
    limits: { maxRounds: 0 },
  });
  onTestFinished(() => client.close());
  return { client, told, caller };
}

export async function ask({ client }: Node, name: string): Promise<string> {
  const result = await client.request("tools/call", { name });
  if (result.resultType !== "input_required") throw new Error("expected questions");
  return String((result as InputRequiredResult).requestState); // it said so
}

/** The text of the result, or of the error. */
export async function answer(
  { client }: Node,
  name: string,
  requestState: string,
  inputResponses: InputResponses = yes,
): Promise<string> {
  try {
    const result = (await client.request("tools/call", { name, requestState, inputResponses })) as CallToolResult; // or it asks
    // tools return texts here
    return result.resultType === "input_required" ? "asks" : (result.content[0] as { text: string }).text;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A tool that asks, and then does something that must happen once. */
export function charging(charges: string[], once = false): Handler {
  return async (ctx) => {
    await ctx.elicit("ok", { message: "Pay?", schema: FORM, once });
    await ctx.step("charge", () => void charges.push("charge"));
    return "paid";
  };
}
