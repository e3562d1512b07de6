// Ten servers from npm, as a host would configure them. They list their tools without an account; nothing is called.
import { fileURLToPath } from "node:url";

const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const program = (name, args = [], env = {}) => ({ command: bin(name), args, env, stderr: "ignore" });

export const servers = {
  playwright: program("playwright-mcp", ["--caps=vision,pdf,testing,tracing,storage,network,devtools,config,verify"]),
  mongodb: program("mongodb-mcp-server", [], { MDB_MCP_TELEMETRY: "disabled", MDB_MCP_API_CLIENT_ID: "none", MDB_MCP_API_CLIENT_SECRET: "none" }),
  chrome: program("chrome-devtools-mcp"),
  github: program("mcp-server-github", [], { GITHUB_PERSONAL_ACCESS_TOKEN: "none" }),
  firecrawl: program("firecrawl-mcp", [], { FIRECRAWL_API_KEY: "fc-none" }),
  desktop: program("desktop-commander"),
  notion: program("notion-mcp-server", [], { NOTION_TOKEN: "none" }),
  kubernetes: program("mcp-server-kubernetes"),
  sentry: program("sentry-mcp", ["--access-token=none"]),
  thinking: program("mcp-server-sequential-thinking"),
};
