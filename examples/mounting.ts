// One server made of two: each keeps its own names, middleware and lifespan.
import { connect } from "tenon/client";
import { McpServer } from "tenon/server";

const git = new McpServer(
  { name: "git", version: "1.0.0" },
  { lifespan: () => ["first commit"] },
);
git.tool(
  "log",
  { tags: ["read"], description: "Lists the commits" },
  (_input, ctx) => ctx.lifespan.join("\n"),
);
git.tool(
  "commit",
  { description: "Adds a commit" },
  (_input, ctx) => `${ctx.lifespan.push("next commit")} commits`,
);

const notes = new McpServer({ name: "notes", version: "1.0.0" });
notes.resource("note://today", { mimeType: "text/plain" }, () => "Buy milk");

const office = new McpServer({ name: "office", version: "1.0.0" });
office.mount("git", git, { only: { tags: ["read"] } });
office.mount("notes", notes);

const client = await connect(office);
console.log((await client.listTools()).tools.map(({ name }) => name).join());
console.log((await client.callTool("git__log")).text);
console.log(
  (await client.listResources()).resources.map(({ uri }) => uri).join(),
);
await client.close();
await office.close();
