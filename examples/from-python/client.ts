// The example of the Python document for `Client`: a server and a client of it in one process, without any transport.
// From the folder of the project: node --import jiti/register examples/from-python/client.ts
import { connect, McpServer } from "tenon";
import * as z from "zod";

const server = new McpServer({ name: "test", version: "1.0.0" });
const input = z.object({ a: z.number().int(), b: z.number().int() });
server.tool(
  "add",
  { input, output: z.object({ result: z.number() }) },
  ({ a, b }) => ({ result: a + b }),
);

await using client = await connect(server);
const result = await client.callTool<{ result: number }>("add", {
  a: 1,
  b: 2,
});
console.log(result.data?.result);
