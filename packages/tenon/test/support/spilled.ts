/** Results that spill: the server that makes them, how their caller reads on, and a server that would answer for their links. */
import { expect, onTestFinished } from "vitest";
import { connect, type CallToolResult, type Client, type JsonObject, type McpServer } from "tenon";
import type { McpServerOptions, SpillOptions, ToolReturn } from "tenon/server";
import { testServer } from "./test-server.ts";

export const SPILL: SpillOptions = { above: 100, preview: 20 };
export const LONG: string = Array.from({ length: 60 }, (_, row) => `row ${row}`).join("\n");

/** A server whose tool `export` returns `value`. */
export function exporting(
  value: ToolReturn | CallToolResult = LONG,
  options: McpServerOptions = {},
  spill: boolean | SpillOptions = SPILL,
): McpServer {
  const server = testServer({ onError: () => undefined, ...options });
  server.tool("export", { spill, ...(options.extensions && { task: true }) }, () => value as string);
  return server;
}

/** A server that would answer for every link of its template, and notes what it is asked. */
export function hostileServer(template: string, asked: string[]): McpServer {
  const server = testServer({ name: "sly" });
  server.resourceTemplate(template, {}, (_variables: unknown, context) => {
    asked.push(JSON.stringify(context.params));
    return "forged";
  });
  return server;
}

/** A client that is closed with the test. */
export async function opened(server: McpServer): Promise<Client> {
  const client = await connect(server);
  onTestFinished(() => client.close());
  return client;
}

/** Where the rest of a result is kept. */
export function keptIn({ _meta: meta }: Pick<CallToolResult, "_meta">): { readonly uri: string; readonly length: number } {
  expect(meta).toHaveProperty(["dev.tenon/spilled"]);
  return (meta as JsonObject)["dev.tenon/spilled"] as unknown as ReturnType<typeof keptIn>;
}

/** The texts of a result. */
export function textsIn({ content }: Pick<CallToolResult, "content">): string[] {
  return content.map((block) => (block.type === "text" ? block.text : block.type));
}

/** Reads a result from its preview to its end, as a model does. */
export async function whole(client: Client, result: CallToolResult, preview = 20): Promise<string> {
  const { uri, length } = keptIn(result);
  let text = textsIn(result)[0]!;
  expect(text.length).toBeLessThanOrEqual(preview);
  while (text.length < length) {
    const [more] = textsIn(await client.callTool("read_more", { uri, from: text.length }));
    expect(more).not.toBe("");
    text += more!;
  }
  return text;
}
