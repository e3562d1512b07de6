// Projects that use the built package from CommonJS, Jest, NestJS, web frameworks and bare TypeScript settings: what
// docs/learn/commonjs.md tells them works.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import { assertHas } from "../support/needs.ts";
import { layOut, layOutAlone, run } from "./consumer.ts";

const compiler = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));

test("require() loads every entry, and the classes are those of import()", (context) => {
  assertHas(context, "consumers");
  const folder = layOut("commonjs");
  const program = `
    const manifest = require("tenon/package.json");
    const names = Object.keys(manifest.exports).filter((name) => !name.endsWith(".json") && name !== "./otel");
    for (const name of names) require("tenon" + name.slice(1));
    const { McpServer } = require("tenon/server");
    const { connect } = require("tenon/client");
    const server = new McpServer({ name: "sums", version: "1.0.0" });
    server.tool("add", { input: { type: "object" } }, ({ a, b }) => a + b);
    connect(server).then(async (client) => {
      console.log((await client.callTool("add", { a: 1, b: 2 })).text, (await import("tenon/server")).McpServer === McpServer);
      await client.close();
    });`;
  writeFileSync(join(folder, "main.cjs"), program);
  expect(run(folder, "--no-warnings", "main.cjs")).toEqual({ status: 0, output: "3 true\n" });
});

test("a test of Jest, in CommonJS, calls a tool", (context) => {
  assertHas(context, "consumers");
  const folder = layOut("jest", "jest");
  const { status, output } = run(folder, "node_modules/jest/bin/jest.js", "--rootDir", folder, "--no-cache");
  expect(output).toContain("2 passed");
  expect(status).toBe(0);
});

test("a NestJS application, in CommonJS, serves a tool beside its own routes", (context) => {
  assertHas(context, "consumers");
  const folder = layOut("nest", "nest");
  expect(run(folder, "node_modules/typescript/bin/tsc", "-p", folder)).toEqual({ status: 0, output: "" });
  expect(run(folder, "--no-warnings", "dist/main.js")).toEqual({ status: 0, output: "Hello\n3\n" });
});

test("the routes on the page of frameworks compile with the types of their frameworks, and serve calls", async (context) => {
  assertHas(context, "consumers");
  const folder = layOut("web", "web");
  const page = readFileSync(new URL("../../../../docs/serving/frameworks.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```(?:ts|text) \[((?:src|server|app\/routes)\/[^\]]+)\]\n([\s\S]*?)^```$/gm)];
  for (const [, file, code] of blocks) {
    mkdirSync(dirname(join(folder, file!)), { recursive: true });
    writeFileSync(join(folder, file!), code!);
  }
  expect(blocks).toHaveLength(6);
  expect(run(folder, "node_modules/typescript/bin/tsc", "-p", folder)).toEqual({ status: 0, output: "" });
  const [entryPoints, outfile] = [[join(folder, "main.ts")], join(folder, "main.mjs")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", packages: "external", logLevel: "silent" });
  const names = ["SvelteKit", "Nuxt", "Astro", "TanStack Start", "React Router"];
  const printed = names.flatMap((name) => [`${name} 2025-11-25 3`, `${name} 2026-07-28 3`, `${name} 421`]);
  expect(run(folder, "--no-warnings", "main.mjs")).toEqual({ status: 0, output: `${printed.join("\n")}\n` });
});

describe("TypeScript", () => {
  const program =
    'import { connect } from "tenon/client";\nimport { McpServer } from "tenon/server";\n' +
    "export const made = [connect, McpServer];\n";
  const onNode = 'import { serveStdio } from "tenon/node";\nexport const made = [serveStdio];\n';
  const lib = ["es2023", "dom", "dom.iterable", "dom.asynciterable"];
  const complete = [...lib, "esnext.disposable"];
  const cases: [string, string, object, string[]][] = [
    ["without types of Node, and all libraries", program, { lib: complete }, []],
    ["without esnext.disposable", program, { lib }, ["AsyncDisposable"]],
    ["without esnext.disposable, but with skipLibCheck", program, { lib, skipLibCheck: true }, []],
    ["with tenon/node, and types of Node", onNode, { lib: complete, types: ["node"] }, []],
  ];
  function compile(folder: string, code: string, options: object): string {
    writeFileSync(join(folder, "use.ts"), code);
    const compilerOptions = { module: "nodenext", target: "es2022", strict: true, noEmit: true, ...options };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    return run(folder, compiler, "-p", folder, "--pretty", "false").output;
  }

  test.each(cases)("%s, a program finds the declarations it needs", (name, code, options, wanting) => {
    const folder = layOut(`types-${cases.findIndex(([other]) => other === name)}`);
    const output = compile(folder, code, options);
    for (const text of wanting) expect(output).toContain(text);
    if (wanting.length === 0) expect(output).toBe("");
  });

  test("with tenon/node, without types of Node, the compiler names what is missing", () => {
    const folder = layOutAlone();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(compile(folder, onNode, { lib: complete, preserveSymlinks: true })).toContain("node:http");
  });
});
