// Tools that only some users see, and tools that a handler shows when they are needed.
import { connect } from "tenon/client";
import { McpServer, type Caller } from "tenon/server";

/** Over HTTP this would be `caller.auth?.scopes.includes("refunds")`: a client can state any name. */
const isOffice = (caller: Caller): boolean =>
  caller.client.info?.name === "office";

const server = new McpServer({ name: "shop", version: "1.0.0" });
server.tool("search", { description: "Searches the shop" }, () => "3 teas");
server.tool(
  "refund",
  { visible: isOffice, description: "Refunds an order" },
  () => "refunded",
);
server.tool(
  "pay",
  { hidden: true, description: "Pays what is chosen" },
  () => "paid",
);
server.tool("choose", { description: "Chooses a tea" }, (_input, ctx) => {
  ctx.show("pay");
  return "Now pay.";
});

for (const name of ["office", "guest"]) {
  const client = await connect(server, {
    clientInfo: { name, version: "1.0.0" },
    revision: "2025-11-25",
  });
  const show = async (): Promise<void> =>
    console.log(
      name,
      (await client.listTools()).tools.map((tool) => tool.name).join(),
    );
  await show();
  await client.callTool("choose");
  await show();
  await client.close();
}
await server.close();
