// `tenon types`: what it writes type-checks, catches a wrong argument, and is compared with the server.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "./run-command.ts";
import { fixture } from "./start-command.ts";

vi.setConfig({ testTimeout: 120_000 });

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const rich = fixture("rich.mjs");

/** A folder of this project, where "tenon/client" is found. */
function folderIn(name: string): string {
  const folder = join(root, "out", `types-${name}-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the types compile, and find every wrong use", async () => {
  const folder = folderIn("compile");
  const file = join(folder, "rich.ts");
  expect(await runCommand(["types", rich, "-o", file])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("7 entries") as string,
  });
  const uses = [
    "const { sum } = await client.call.add({ a: 1 });",
    "const total: number = sum;",
    'await client.call["a-b"]({ list: { next: { at: ["x", 1] } } });',
    'await client.call.a_b({ code: "x", tree: { tree: {} } });',
    'await client.call.constructor({ kind: "b" });',
    "await client.call.class();",
    'const greet: Prompts["greet"] = { who: "Ada" };',
    'const note: Templates["note://{day}{?tags*}"] = { day: "1", tags: ["a"] };',
    'const digest: `sha256-${string}` = contract.entries["tool add"];',
  ];
  const mistakes = [
    'await client.call.add({ a: "1" });',
    "await client.call.add({});",
    "await client.call.add({ a: 1, c: 2 });",
    "const text: string = (await client.call.add({ a: 1 })).sum;",
    "await client.call.subtract({});",
    'await client.call["a-b"]({ list: { at: ["x", "y"] } });',
    'await client.call.constructor({ kind: "c" });',
    'const none: Prompts["greet"] = {};',
  ];
  const head =
    'import { connect } from "tenon/client";\n' +
    'import { contract, type Prompts, type Server, type Templates } from "./rich.ts";\n' +
    'const client = await connect<Server>({ command: "x" });\n';
  writeFileSync(join(folder, "right.ts"), `${head}${uses.join("\n")}\nexport { digest, greet, note, total };\n`);
  mistakes.forEach((mistake, at) => writeFileSync(join(folder, `wrong-${at}.ts`), `${head}${mistake}\n`));
  const settings = {
    extends: "../../tsconfig.json",
    compilerOptions: { noUnusedLocals: false, isolatedDeclarations: false, declaration: false },
    include: ["*.ts", "../../packages/tenon/src/node/*.d.ts"],
    exclude: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", folder, "--pretty", "false"],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  const wrong = new Set([...stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, name]) => name));
  expect({ wrong: [...wrong].sort(), stdout }).toEqual({ wrong: mistakes.map((_, at) => `wrong-${at}.ts`), stdout });
});

test("--check fails when the server has drifted, and --strict for its texts", async () => {
  const file = join(folderIn("check"), "rich.ts");
  await runCommand(["types", rich, "-o", file]);
  const written = readFileSync(file, "utf8");
  const check = (version: string, ...more: string[]): ReturnType<typeof runCommand> =>
    runCommand(["types", rich, "-o", file, "--check", ...more, "--env", `VERSION=${version}`]);
  expect(await check("1", "--strict")).toMatchObject({ code: 0, stdout: expect.stringContaining("fits the server") as string });
  expect(await check("2")).toMatchObject({ code: 0 });
  const drifted = await check("3", "--json");
  expect({ code: drifted.code, ...(JSON.parse(drifted.stdout) as object) }).toMatchObject({
    code: 1,
    hasDrifted: true,
    changed: ["tool add"],
    added: [],
    removed: [],
  });
  expect(readFileSync(file, "utf8")).toBe(written);
});

test("a file of someone else is left alone, and nothing secret is written", async () => {
  const folder = folderIn("safe");
  const file = join(folder, "mine.ts");
  writeFileSync(file, "export const mine = 1;\n");
  expect(await runCommand(["types", rich, "-o", file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("left as it is") as string,
  });
  expect(await runCommand(["types", rich, "-o", file, "--check"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no contract") as string,
  });
  expect(readFileSync(file, "utf8")).toBe("export const mine = 1;\n");
  const { code, stdout } = await runCommand(["types", `${process.execPath} ${fixture("self-serving.mjs")} --token s3cret`]);
  expect({ code, hasSecret: stdout.includes("s3cret") }).toEqual({ code: 0, hasSecret: false });
});

test.each(["own.js", "own.mjs", "own.json"])(
  "a file whose name promises something else than TypeScript is refused: %s",
  async (file) => {
    expect(await runCommand(["types", rich, "-o", file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${file} would hold TypeScript: name a file that ends in .ts.`) as string,
    });
  },
);

test("a folder that does not exist is named", async () => {
  const file = join(folderIn("folder"), "none", "rich.ts");
  expect(await runCommand(["types", rich, "-o", file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${file} cannot be written: its folder does not exist.`) as string,
  });
});
