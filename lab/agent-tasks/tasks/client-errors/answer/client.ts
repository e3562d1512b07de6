import { connect, type Client } from "tenon/client";
import { McpError } from "tenon";

const [url = "", tool = ""] = process.argv.slice(2);

async function call(client: Client): Promise<[line: string, code: number]> {
  try {
    const { isError, text } = await client.callTool(tool);
    return isError ? [`failed: ${text}`, 1] : [`ok: ${text}`, 0];
  } catch (error) {
    if (error instanceof McpError) return [`refused: ${error.code}`, 2];
    throw error;
  }
}

const client = await connect(url).catch(() => undefined);
const [line, code] = client === undefined ? (["unreachable", 3] as const) : await call(client);
console.log(line);
await client?.close();
process.exitCode = code;
