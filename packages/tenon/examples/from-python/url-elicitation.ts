// The example of the Python document for `UrlElicitationRequiredError`: a tool that the user has to visit a page for first. A client
// with `onElicit` does by itself what is done by hand here.
// From the folder of the project: node --import jiti/register examples/from-python/url-elicitation.ts
import { connect, McpServer, UrlElicitationRequiredError } from "tenon";

const server = new McpServer({ name: "files", version: "1.0.0" });
const authorized = new Set<string>();
server.tool("list_files", {}, () => {
  if (authorized.has("auth-001")) return "report.txt";
  throw new UrlElicitationRequiredError([
    {
      mode: "url",
      message: "Authorization required for your files",
      url: "https://example.com/oauth/authorize",
      elicitationId: "auth-001",
    },
  ]);
});

await using client = await connect(server, { revision: "2025-11-25" });
try {
  await client.callTool("list_files");
} catch (error) {
  if (!(error instanceof UrlElicitationRequiredError)) throw error;
  for (const { message, url, elicitationId } of error.elicitations) {
    console.log(`${message}: ${url}`);
    authorized.add(String(elicitationId)); // where the user would have gone there
  }
}
console.log((await client.callTool("list_files")).text);
