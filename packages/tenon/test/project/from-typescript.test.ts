// The page for users of the official SDK tells the truth: every name of its tables is a name of the package it is said to be of,
// and its programs compile, run, and do the same in each combination of old and new.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const folder = join(root, "out", "from-typescript");
const page = readFileSync(join(root, "docs/moving/from-typescript.md"), "utf8");
const programs = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);

/**
 * What the compiler says about folders of this test, by folder: what it says of other files is under the name "elsewhere". One
 * run for all of them, because it checks the source of Tenon as well.
 */
function compile(name: string, folders: readonly string[], compilerOptions: object): ReadonlyMap<string, string> {
  const include = [...folders.map((each) => `${each}/*.ts`), "../../packages/tenon/src/node/*.d.ts"];
  writeFileSync(
    join(folder, `${name}.json`),
    JSON.stringify({ extends: "../../tsconfig.examples.json", compilerOptions, include }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", `${name}.json`, "--pretty", "false"];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", timeout: 100_000 });
  const said = stdout.split(/\n(?! )/).filter((line) => line !== "");
  const of = (each: string): string => said.filter((line) => line.startsWith(`${each}/`)).join("\n");
  const elsewhere = said.filter((line) => !folders.some((each) => line.startsWith(`${each}/`)));
  // A run that did not say why it failed has not proven anything.
  if (status !== 0 && said.length === 0) elsewhere.push(`the compiler ended with ${status}`);
  return new Map([...folders.map((each) => [each, of(each)] as const), ["elsewhere", elsewhere.join("\n")]]);
}

// ---- names ----

/** Where the names of one column come from. */
interface Origin {
  /** Files that declare what can be imported, and from where one would. */
  readonly files: readonly (readonly [file: string, from: string])[];
  /** What a variable of the page is, as a type. */
  readonly variables: { readonly [name: string]: string };
  /** Types whose members may stand in braces. */
  readonly options: readonly string[];
}

const SDK = "@modelcontextprotocol/sdk";
const ONE_FILES = [
  ...[
    "client/index",
    "client/stdio",
    "client/sse",
    "client/streamableHttp",
    "client/auth",
    "client/auth-extensions",
    "inMemory",
    "types",
  ],
  ...[
    "server/index",
    "server/mcp",
    "server/completable",
    "server/stdio",
    "server/sse",
    "server/streamableHttp",
    "server/express",
  ],
  ...["server/webStandardStreamableHttp", "server/auth/router", "server/auth/middleware/bearerAuth", "shared/protocol"],
  "server/auth/providers/proxyProvider",
];
const one = (module: string, name: string): string => `import("${SDK}/${module}.js").${name}`;
const two = (name: string, side = "server"): string => `import("@modelcontextprotocol/${side}").${name}`;
const ENTRIES = ["client", "server", "node", "auth", "testing", "authorization-server"];

const ONE: Origin = {
  files: ONE_FILES.map((file) => [`node_modules/${SDK}/dist/esm/${file}.d.ts`, `${SDK}/${file}.js`] as const),
  variables: {
    server: one("server/mcp", "McpServer"),
    client: one("client/index", "Client"),
    tool: one("server/mcp", "RegisteredTool"),
    transport: one("client/streamableHttp", "StreamableHTTPClientTransport"),
    extra: one("shared/protocol", `RequestHandlerExtra<${one("types", "ServerRequest")}, ${one("types", "ServerNotification")}>`),
  },
  options: [
    one("client/index", "ClientOptions"),
    one("shared/protocol", "RequestOptions"),
    one("client/streamableHttp", "StreamableHTTPClientTransportOptions"),
    one("server/streamableHttp", "StreamableHTTPServerTransportOptions"),
  ],
};
const TWO: Origin = {
  files: [
    ["node_modules/@modelcontextprotocol/server/dist/index.d.mts", "@modelcontextprotocol/server"],
    ["node_modules/@modelcontextprotocol/server/dist/stdio.d.mts", "@modelcontextprotocol/server/stdio"],
    ["node_modules/@modelcontextprotocol/client/dist/index.d.mts", "@modelcontextprotocol/client"],
    ["node_modules/@modelcontextprotocol/client/dist/stdio.d.mts", "@modelcontextprotocol/client/stdio"],
    ["node_modules/@modelcontextprotocol/node/dist/index.d.mts", "@modelcontextprotocol/node"],
  ],
  variables: {
    server: two("McpServer"),
    tool: two("RegisteredTool"),
    ctx: two("ServerContext"),
    client: two("Client", "client"),
    transport: two("StreamableHTTPClientTransport", "client"),
  },
  options: [
    two("CreateMcpHandlerOptions"),
    two("WebStandardStreamableHTTPServerTransportOptions"),
    ...["ClientOptions", "RequestOptions", "StreamableHTTPClientTransportOptions"].map((name) => two(name, "client")),
  ],
};
const TENON: Origin = {
  files: [
    ...ENTRIES.map((entry) => [`packages/tenon/src/${entry}/index.ts`, `tenon/${entry}`] as const),
    ["packages/tenon/src/extensions/index.ts", "tenon/ext"],
    ["packages/tenon/src/index.ts", "tenon"],
  ],
  variables: {
    server: `import("tenon/server").McpServer`,
    client: `import("tenon/client").Client`,
    registered: `import("tenon/server").Registered<object>`,
    ctx: `import("tenon/server").RequestContext`,
    result: `import("tenon/client").ToolResult`,
    error: `import("tenon").McpError`,
    auth: `import("tenon/auth").OAuthProvider`,
  },
  options: [
    ...["McpServerOptions", "ToolOptions", "PromptOptions", "ResourceTemplateOptions"].map(
      (name) => `import("tenon/server").${name}`,
    ),
    ...["ConnectOptions", "CallOptions", "HttpServerParameters", "ProgramParameters"].map(
      (name) => `import("tenon/client").${name}`,
    ),
    `import("tenon/node").ServeHttpOptions`,
  ],
};

/** The options that are in groups, such as `{ limits: { maxBodyBytes } }`. */
const GROUPED = `import("tenon/node").ServeHttpOptions`;

/** Lines of TypeScript that compile where the names in `cell` are names of `origin`. */
function proofOf(cell: string, origin: Origin): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, span]) => {
    const [, group, member] = /^\{ (\w+): \{ (\w+) \} \}$/.exec(span!) ?? [];
    if (group !== undefined) return [`export type _ = Exclude<NonNullable<${GROUPED}["${group}"]>, boolean>["${member}"];`];
    const options = /^\{ (.+) \}$/.exec(span!);
    if (options !== null) return options[1]!.split(", ").map((name) => `option(${JSON.stringify(name)});`);
    const [, chain] = /^(?:new )?([\w.]+)(?:\(\w*\))?$/.exec(span!) ?? [];
    if (chain === undefined) throw new Error(`\`${span}\` is no name that can be looked up`);
    const [first, ...members] = chain.split(".") as [string, ...string[]];
    const variable = origin.variables[first];
    if (members.length > 0 && variable === undefined) throw new Error(`\`${span}\`: what is ${first}?`);
    if (members.length === 0 && variable === undefined)
      return [`export type { ${first} as _ } from "${moduleOf(first, origin)}";`];
    return [`export type _ = ${members.reduce((type, member) => `NonNullable<${type}["${member}"]>`, variable!)};`];
  });
}

function moduleOf(name: string, { files }: Origin): string {
  const declares = new RegExp(`^export .*\\b${name}\\b|^  (type )?${name},`, "m");
  const found = files.find(([file]) => declares.test(readFileSync(join(root, file), "utf8")));
  if (found === undefined) throw new Error(`Nothing exports ${name}`);
  return found[1];
}

const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| 1.x"))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );

/** Writes a program that compiles where the names of some columns are those of `origin`. */
function writeNames(name: string, origin: Origin, columns: (row: readonly string[]) => string): void {
  mkdirSync(join(folder, name), { recursive: true });
  const proofs = rows.flatMap((row) => proofOf(columns(row), origin));
  const types = proofs.filter((line) => line.startsWith("export")).map((line, index) => line.replace(/\b_\b/, `T${index}`));
  expect(types.length).toBeGreaterThan(15);
  const options = origin.options.map((type) => `keyof ${type}`).join(" | ");
  const head = `declare function option(name: ${options}): void;`;
  writeFileSync(
    join(folder, name, "names.ts"),
    [head, ...types, ...proofs.filter((line) => line.startsWith("option")), ""].join("\n"),
  );
}

test("every row has four cells and says what it is here", () => {
  expect(rows.length).toBeGreaterThan(50);
  for (const row of rows) {
    expect(row, row.join(" | ")).toHaveLength(4);
    expect(row[2], row[0]).not.toBe("");
  }
});

test.each([
  ["1.x", "one"],
  ["2.x", "two"],
])("the names of %s are those of the package", (_version, name) => {
  expect([ofOfficial.get(name), ofOfficial.get("elsewhere")]).toEqual(["", ""]);
});

test("the names of Tenon are exported, with the members that are named", () => {
  expect([ofTenon.get("tenon"), ofTenon.get("elsewhere")]).toEqual(["", ""]);
});

test("an unknown export, and text that is not a name, fail this test", () => {
  for (const cell of ["`createNothing()`", "`nobody.knows()`", "`a - b`"])
    expect(() => proofOf(cell, TENON)).toThrow(cell.slice(1, 7));
});

// ---- programs ----

const VERSIONS = ["before", "after"] as const;
let ofOfficial: ReadonlyMap<string, string>;
let ofTenon: ReadonlyMap<string, string>;

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  const [serverBefore, serverAfter, clientBefore, clientAfter] = programs;
  for (const [version, server, client] of [
    ["before", serverBefore, clientBefore],
    ["after", serverAfter, clientAfter],
  ] as const) {
    mkdirSync(join(folder, version), { recursive: true });
    writeFileSync(join(folder, version, "server.ts"), server!);
    writeFileSync(join(folder, version, "client.ts"), client!);
  }
  writeNames("one", ONE, (row) => row[0]!);
  writeNames("two", TWO, (row) => (row[1] === "" ? row[0]! : row[1]!));
  writeNames("tenon", TENON, (row) => `${row[2]} ${row[3]!.replace(/`(\(|express\.)[^`]*`/g, "")}`);
  const paths = Object.fromEntries(TWO.files.map(([file, from]) => [from, [`../../${file}`]]));
  ofOfficial = compile("official", ["one", "two"], { paths, customConditions: [] });
  ofTenon = compile("own", ["tenon", ...VERSIONS], {});
});

test("the programs compile as printed", () => {
  expect(programs).toHaveLength(6);
  for (const version of VERSIONS) expect(ofTenon.get(version), version).toBe("");
});

test("each client says the same of each server", () => {
  for (const version of VERSIONS) {
    buildSync({
      entryPoints: ["server.ts", "client.ts"].map((name) => join(folder, version, name)),
      outdir: join(folder, version),
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      conditions: ["source"],
      external: ["zod", "re2js", "cross-spawn", ...(version === "before" ? [`${SDK}/*`] : [])],
      logLevel: "silent",
    });
  }
  for (const server of VERSIONS) {
    for (const client of VERSIONS) {
      const program = join(folder, client, "client.js");
      const output = execFileSync(process.execPath, [program], { cwd: join(folder, server), encoding: "utf8", timeout: 100_000 });
      // A client of 1.x drops progress that arrives in one piece with the answer.
      const said = output.trim().split("\n");
      if (client === "after") expect(said.shift(), `${client} to ${server}`).toBe("1 of 2");
      expect(
        said.filter((line) => line !== "1 of 2"),
        `${client} to ${server}`,
      ).toEqual([
        "{ count: 2 }",
        "[ 'add', 'clear' ]",
        "Rest",
        "[ 'today', 'tomorrow' ]",
        "[ { type: 'text', text: 'Deleted' } ]",
      ]);
    }
  }
});
