// A server of 20 TypeScript files in a folder of its own, one of which holds the version that its tool returns.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Files beside the server and the version. */
const TOOLS = 18;

const versionFile = (version) => `export const version: string = ${JSON.stringify(String(version))};\n`;

const toolFile = (at) => `import type { McpServer } from "tenon/server";
import * as z from "zod";
import { version } from "../version.ts";

const input = z.object({ text: z.string(), times: z.number().optional() });
export function add${at}(server: McpServer): void {
  server.tool("tool${at}", { description: "Repeats a text", input }, ({ text, times = 1 }) => version + text.repeat(times));
}
`;

const numbers = Array.from({ length: TOOLS }, (_, at) => at);
const SERVER = `import { McpServer } from "tenon/server";
${numbers.map((at) => `import { add${at} } from "./tools/tool${at}.ts";`).join("\n")}
import { version } from "./version.ts";

export const server: McpServer = new McpServer({ name: "reloaded", version: "1.0.0" });
server.tool("version", {}, () => version);
for (const add of [${numbers.map((at) => `add${at}`).join(", ")}]) add(server);
`;

export function makeProject() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-reload-")));
  mkdirSync(join(folder, "node_modules"));
  mkdirSync(join(folder, "tools"));
  symlinkSync(join(root, "packages/tenon"), join(folder, "node_modules/tenon"));
  symlinkSync(join(root, "node_modules/zod"), join(folder, "node_modules/zod"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "server.ts"), SERVER);
  for (const at of numbers) writeFileSync(join(folder, `tools/tool${at}.ts`), toolFile(at));
  const file = join(folder, "version.ts");
  const save = (version) => {
    // Both ways in which editors save.
    const isInPlace = version % 2 === 0;
    writeFileSync(isInPlace ? file : `${file}~`, versionFile(version));
    if (!isInPlace) renameSync(`${file}~`, file);
  };
  save(0);
  return {
    folder,
    main: join(root, "packages/tenon-cli/dist/main.js"),
    save,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
