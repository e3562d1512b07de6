// What the source itself must look like, where neither the compiler nor the linter can say it.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const files = readdirSync(join(root, "packages/tenon/src"), { recursive: true, encoding: "utf8" }).filter((name) =>
  /(?<!\.test|\.d)\.ts$/.test(name),
);
const sources = files.map((name) => [name, readFileSync(join(root, "packages/tenon/src", name), "utf8")] as const);

/** A member of a type whose name says that it is a time, with the comment before it. */
const DURATION =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^ +(?:readonly )?(\w*(?:[tT]imeout|[tT]tl|[iI]nterval|[gG]race|[kK]eepAlive|[bB]ackoff|[iI]dle)\w*)\??: number;/gm;

test("every option that is a time says its unit [CV-05]", () => {
  const found = sources.flatMap(([name, source]) =>
    [...source.matchAll(DURATION)].map(([, comment = "", option]) => ({ where: `${dirname(name)}: ${option!}`, comment })),
  );
  expect(found.length).toBeGreaterThan(15);
  // Said once in a folder is enough: options that were read keep their names.
  const said = found.filter(({ where, comment }) => /\b(?:ms|milliseconds|seconds)\b/i.test(comment) || where.endsWith("Ms"));
  const silent = found.filter(({ where }) => said.every((other) => other.where !== where));
  expect(silent.map(({ where }) => where)).toEqual([]);
});

test("there is no enum [CV-11]", () => {
  const code = sources.map(([name, source]) => [name, source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")] as const);
  expect(code.filter(([, text]) => /^\s*(?:export )?(?:declare )?(?:const )?enum \w/m.test(text)).map(([name]) => name)).toEqual(
    [],
  );
});

test("signals are joined by what can be unlinked: only a command, which ends, uses AbortSignal.any [fault Z3 rule R5]", () => {
  const joined = sources.filter(([, source]) => source.includes("AbortSignal.any("));
  expect(joined.map(([name]) => name).filter((name) => !name.startsWith("cli/"))).toEqual([]);
});

/** A server whose tool fails, called in one process. */
const FAILING = (options: string): string => `
import { connect } from "tenon/client";
import { McpServer } from "tenon/server";
const server = new McpServer({ name: "s", version: "1" }${options});
server.tool("t", {}, () => { throw new Error("disk full"); });
const client = await connect(server);
await client.callTool("t");
await client.close();`;

test("failures go to stderr or to the user's listener, never to stdout [CV-13]", () => {
  const run = (options: string): { stdout: string; stderr: string } =>
    spawnSync(process.execPath, ["--input-type=module", "-e", FAILING(options)], {
      cwd: root,
      encoding: "utf8",
      timeout: 100_000,
    });
  const byDefault = run("");
  expect(byDefault.stdout).toBe("");
  expect(byDefault.stderr).toMatch(/tools\/call t failed \(error [0-9a-f]{8}\)[\s\S]*disk full/);
  expect(run(', { onError: (error) => process.stderr.write("told " + error.message) }')).toMatchObject({
    stdout: "",
    stderr: "told disk full",
  });
  expect(run(", { onError: () => undefined }")).toMatchObject({ stdout: "", stderr: "" });
});

test("only the command and the wire know stdout [CV-13 C.2]", () => {
  const writing = sources.filter(([, source]) =>
    /process\.stdout|console\.(?:log|info|debug)\(/.test(source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")),
  );
  expect(writing.map(([name]) => name).filter((name) => !name.startsWith("cli/"))).toEqual([
    "node/stdio/stdio-transport.ts",
    "node/stdio/stdout-guard.ts",
  ]);
});
