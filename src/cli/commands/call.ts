/** `tenon call`: calls a tool and shows its result. */
import type { Client } from "../../client/client.ts";
import { InputRequiredError } from "../../client/errors.ts";
import type { ToolResult } from "../../client/result.ts";
import type { Tool } from "../../protocol/tools.ts";
import { withServer } from "../connection/connection.ts";
import { describeBlock, describeData } from "../terminal/content-text.ts";
import type { Paint } from "../../node/questions/display.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";
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
      const tool = await findTool(client, name, signal);
      const args = toToolArguments(tool.inputSchema, values.arg ?? [], values.args);
      const result = await callTool(client, name, args, {
        signal,
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

/** @throws UsageError if the server does not list the name */
async function findTool(client: Client, name: string, signal: AbortSignal): Promise<Tool> {
  const names: string[] = [];
  if (client.serverCapabilities.tools === undefined) throw new UsageError("This server has no tools.");
  for await (const tool of client.tools({ signal })) {
    if (tool.name === name) return tool;
    names.push(tool.name);
  }
  throw new UsageError(`Unknown tool ${JSON.stringify(name)}.${didYouMean(name, names)} "tenon list" shows the ${names.length} there are.`);
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
