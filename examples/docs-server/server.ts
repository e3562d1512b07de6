// The documentation of Tenon as an MCP server over HTTP: what `tenon docs --mcp` serves, for a team or for everyone.
// From the folder of the project, after a build: node --import jiti/register examples/docs-server/server.ts
import { docsServer } from "tenon-cli/docs-server";
import { serveHttp } from "tenon/node";

const http = await serveHttp(await docsServer(), {
  port: Number(process.env["PORT"] ?? 3000),
  health: true,
  welcome: true, // the address opened in a browser says how to add the server
});
console.log(`The documentation is at ${http.url}`);
for (const signal of ["SIGTERM", "SIGINT"])
  process.once(signal, () => void http.drain(8_000));
