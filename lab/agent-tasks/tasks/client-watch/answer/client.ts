import { connect } from "tenon/client";

const uri = "temp://kitchen";
const [file = ""] = process.argv.slice(2);
await using client = await connect({ command: "npx", args: ["tsx", file], env: process.env as Record<string, string> });

async function print(): Promise<void> {
  const [content] = (await client.readResource(uri)).contents;
  if (content !== undefined && "text" in content) console.log(content.text);
}

await print();
const changes = await client.listen({ resources: [uri] });
await client.callTool("heat");
let heated = 1;
for await (const change of changes) {
  if (change.kind !== "resource") continue;
  await print();
  if (heated === 2) break;
  heated += 1;
  await client.callTool("heat");
}
