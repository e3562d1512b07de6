/** `tenon call`: calls a tool and shows its result. */
import { type Client, InputRequiredError, type ToolResult } from "tenon/client";
import type { Tool } from "tenon";
import { type Paint, VERSIONS_KEY, keyOf } from "tenon/internal";
import { withServer } from "../connection/connection.ts";
import { serversOfGateway } from "../connection/servers-of-gateway.ts";
import { describeBlock, describeData } from "../terminal/content-text.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, type Command, type Invocation } from "../invocation.ts";
import { didYouMean } from "../typing-mistakes.ts";
import { toToolArguments } from "./tool-arguments.ts";

export const call: Command = {
  summary: "call a tool",
  usage: [
    "call <server> <tool> [--arg name=value ...] [--args '{json}']",
    "call <tool> [--arg name=value ...] -- <command> [argument ...]",
  ],
  options: [...CLIENT_OPTIONS, "arg", "args"],
  examples: [
    "tenon call server.ts add --arg a=1 --arg b=2",
    `tenon call server.ts add --args '{"a":1,"b":2}'`,
    'tenon call "npx -y @modelcontextprotocol/server-everything" echo --arg message=hi',
  ],
  run: (invocation) =>
    withServer(invocation, ["tool"], async (client, name) => {
      const { values, signal, terminal } = invocation;
      const tool = await findTool(client, name, invocation);
      const args = toToolArguments(tool.inputSchema, values.arg ?? [], values.args);
      const result = await callTool(client, name, args, {
        signal,
        validateOutput: tool.outputSchema !== undefined,
        onProgress: (step) => terminal.progress(step),
        onTask: ({ status, statusMessage }) => terminal.activity(statusMessage ?? status),
      });
      return { json: result, text: (paint) => describe(result, paint), failed: result.isError };
    }),
};

async function callTool(client: Client, ...call: Parameters<Client["callTool"]>): Promise<ToolResult> {
  try {
    return await client.callTool(...call);
  } catch (cause) {
    if (!(cause instanceof InputRequiredError)) throw cause;
    const reason = cause.cause instanceof Error ? cause.cause.message : cause.message;
    throw new Error(`The tool asks for something this command cannot answer: ${reason}`, { cause });
  }
}

/**
 * Finds the tool in the list. If it is not there, waits for the servers of a gateway that still connect, and looks again.
 * @throws UsageError if the server does not list the name
 */
async function findTool(client: Client, name: string, invocation: Invocation): Promise<Tool> {
  if (client.serverCapabilities.tools === undefined) throw new UsageError("This server has no tools.");
  const names = new Set<string>();
  const look = async (): Promise<Tool | undefined> => {
    for await (const tool of client.tools({ signal: invocation.signal })) {
      if (tool.name === name) return tool;
      if (isVersionOf(tool, name)) return { name, inputSchema: { type: "object" } }; // its own schema is in no list
      names.add(tool.name);
    }
    return undefined;
  };
  const early = await look();
  if (early !== undefined) return early;
  await serversOfGateway(client, invocation);
  const late = await look();
  if (late !== undefined) return late;
  throw new UsageError(
    `Unknown tool ${JSON.stringify(name)}.${didYouMean(name, [...names])} "tenon list" shows the ${names.size} there are.`,
  );
}

/** Whether a name belongs to a version, such as `search.v1`, of a listed tool. */
function isVersionOf({ name: newest, _meta: meta }: Tool, name: string): boolean {
  const versions = meta?.[VERSIONS_KEY];
  return Array.isArray(versions) && versions.some((version) => typeof version === "string" && name === keyOf(newest, version));
}

/** Describes the content, and the data unless a text block equals it. */
function describe({ content, structuredContent }: ToolResult, paint: Paint): string {
  const told = content.some((block) => block.type === "text" && isJsonOf(block.text, structuredContent));
  const parts = content
    .filter((block) => !(told && block.type === "text" && isJsonOf(block.text, structuredContent)))
    .map((block) => describeBlock(block, paint));
  if (structuredContent !== undefined) parts.push(describeData(structuredContent));
  return parts.length === 0 ? paint("dim", "(no content)") : parts.join("\n");
}

function isJsonOf(text: string, value: unknown): boolean {
  if (value === undefined) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
