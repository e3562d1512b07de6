/**
 * `tenon check --sarif`: the file fits the schema of SARIF 2.1.0, and each finding has
 * its line and a fingerprint of its own. Needs a build.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, it, onTestFinished, vi } from "vitest";
import { linkPackages, outsideFolder, write } from "../cli/packed.ts";
import { runCommand } from "../cli/run-command.ts";

vi.setConfig({ testTimeout: 60_000 });

interface Result {
  readonly ruleId: string;
  readonly message: { readonly text: string };
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string };
        readonly region: { readonly startLine: number };
      };
    },
  ];
  readonly partialFingerprints: { readonly "tenon/v1": string };
}

const {
  $schema: _draft,
  id: _id,
  ...schema
} = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"), "utf8"),
) as { readonly [member: string]: unknown };
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, validateFormats: false });
const validate = ajv.compile(schema);

const SERVER = `import { McpServer } from "tenon/server";
import { addMore } from "./more tools/more.js";

const server = new McpServer({ name: "tables", version: "1.0.0" });
server.tool("book.table", { description: "Book a table" }, () => "");
server.tool(
  "cancel",
  {
    description: "Cancel a booking",
    input: {
      type: "object",
      properties: {
        id: { type: "string" },
        seats: { type: "array" },
        guests: { type: "array" },
      },
    },
  },
  () => "",
);
addMore(server);
export { server };
`;
const MORE = `export function addMore(server) {
  const tools = { pay: {}, "refund": {} };
  for (const [name, options] of Object.entries(tools)) server.tool(name, options, () => "");
}
`;

function folder(): string {
  const { path, remove } = outsideFolder();
  onTestFinished(remove);
  write(path, {
    "package.json": { type: "module" },
    "packages/tables/server.mjs": SERVER,
    "packages/tables/more tools/more.js": MORE,
    ".git/HEAD": "ref: refs/heads/main\n",
  });
  linkPackages(path, "tenon");
  return path;
}

async function resultsOf(cwd: string, args: readonly string[]): Promise<readonly Result[]> {
  const { code, stderr } = await runCommand(["check", "--sarif", "out.sarif", ...args], { cwd });
  if (code === 2 || code === 3) throw new Error(stderr);
  const sarif = JSON.parse(readFileSync(join(cwd, "out.sarif"), "utf8")) as {
    runs: readonly [{ results: readonly Result[] }];
  };
  validate(sarif);
  expect(validate.errors).toBeNull();
  return sarif.runs[0].results;
}

const placeOf = ({ locations: [{ physicalLocation }] }: Result): string =>
  `${physicalLocation.artifactLocation.uri}:${physicalLocation.region.startLine}`;

it("each finding is at the line that defines its tool or argument, in the file as the repository names it", async () => {
  const root = folder();
  const results = await resultsOf(join(root, "packages/tables"), ["server.mjs"]);
  expect(results.map((result) => `${result.ruleId} ${placeOf(result)}`)).toEqual([
    "tool-name packages/tables/server.mjs:5",
    "list-without-items packages/tables/server.mjs:14",
    "list-without-items packages/tables/server.mjs:15",
    "description packages/tables/more%20tools/more.js:2",
    "description packages/tables/more%20tools/more.js:2",
  ]);
});

it("fingerprints differ by finding, and stay when lines move", async () => {
  const root = folder();
  const cwd = join(root, "packages/tables");
  const prints = async (): Promise<readonly string[]> =>
    (await resultsOf(cwd, ["server.mjs"])).map(({ partialFingerprints }) => partialFingerprints["tenon/v1"]);
  const before = await prints();
  expect(new Set(before).size).toBe(before.length);
  writeFileSync(join(cwd, "server.mjs"), `// one line\n// and another\n${SERVER}`);
  expect(await prints()).toEqual(before);
});

it("what breaks callers has a fingerprint of its own and the line of its tool, and a budget too", async () => {
  const root = folder();
  const cwd = join(root, "packages/tables");
  await runCommand(["check", "server.mjs", "--update"], { cwd });
  const stricter = SERVER.replace("properties: {", 'required: ["id", "seats"],\n      properties: {');
  writeFileSync(join(cwd, "server.mjs"), stricter);
  const results = await resultsOf(cwd, ["server.mjs", "--budget", "tool=5"]);
  const contract = results.filter(({ ruleId }) => ruleId === "contract");
  expect(contract.map(({ message: { text } }) => text)).toEqual([
    "mcp.lock: breaking: `id` of cancel is required now",
    "mcp.lock: breaking: `seats` of cancel is required now",
  ]);
  expect(contract.map(placeOf)).toEqual(["packages/tables/server.mjs:7", "packages/tables/server.mjs:7"]);
  expect(new Set(results.map(({ partialFingerprints }) => partialFingerprints["tenon/v1"])).size).toBe(results.length);
  expect(results.filter(({ ruleId }) => ruleId === "budget").length).toBeGreaterThan(0);
});

it("findings of a server without a source file are at the lock file", async () => {
  const root = folder();
  writeFileSync(
    join(root, "packages/tables/serve.mjs"),
    'import { serveStdio } from "tenon/node";\nimport { server } from "./server.mjs";\nawait serveStdio(server);\n',
  );
  const found = await resultsOf(root, ["--", process.execPath, join(root, "packages/tables/serve.mjs")]);
  expect(new Set(found.map(placeOf))).toEqual(new Set(["mcp.lock:1"]));
});
