// Starts `server.ts` as a child process, lists its tools and calls one.
// From the folder of the project: node --import jiti/register examples/client.ts
import { connect } from "tenon/client";

const client = await connect({
  command: "npx",
  args: ["tenon", "run", "examples/server.ts"],
});

for await (const tool of client.tools())
  console.log(`${tool.name}: ${tool.description}`);

const result = await client.callTool<{ sum: number }>("add", { a: 1, b: 2 });
console.log(result.data?.sum);

await client.close();
