import xmcp from "xmcp";

const client = await xmcp.createHTTPClient({ url: process.env.URL });
const call = { name: "next", arguments: { a: 1 } };
const { structuredContent } = await client.callTool(call);
console.log(structuredContent.b);
await client.close();
