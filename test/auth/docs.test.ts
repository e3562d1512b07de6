/** The programs of docs/auth-client.md compile as they are printed there, and the last one runs, with the package as it was built. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "out", "auth-client");
const blocks = [...readFileSync(join(root, "docs/auth-client.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);

/** What the shorter ones leave to the reader. */
const REST = `
import type { AuthStore } from "tenon/auth";
declare global {
  const store: AuthStore, userId: string, url: string, issuer: string, pem: string, request: { url: string };
  const redirect: (url: URL) => void, readFile: (path: string, encoding: "utf8") => Promise<string>, idToken: () => Promise<string>;
  const vault: { token(): Promise<string> };
}`;

test("the documented programs compile, and the last one logs in and steps up", { timeout: 30_000 }, () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "rest.d.ts"), `${REST}\n`);
  for (const [index, block] of blocks.entries()) writeFileSync(join(folder, `block-${index}.ts`), `${block}\nexport {};\n`);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../examples/tsconfig.json",
      compilerOptions: { noUnusedLocals: false },
      include: ["*.ts", "../../src/node/*.d.ts"],
    }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", timeout: 25_000 }).stdout).toBe("");
  writeFileSync(join(folder, "program.mjs"), transformSync(blocks.at(-1)!, { loader: "ts", target: "node20" }).code);
  const output = execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8", timeout: 8_000 });
  expect(output).toBe("user: notes:read\nwritten\nuser: notes:read notes:write\n");
});
