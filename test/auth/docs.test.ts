/** The programs of docs/clients/authorization.md compile as they are printed there, and the last one runs, with the package as it was built. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { compileDocument } from "../support/documented.ts";

/** What the shorter ones leave to the reader. */
const REST = `
import type { AuthStore } from "tenon/auth";
declare global {
  const store: AuthStore, userId: string, url: string, issuer: string, pem: string, request: { url: string };
  const redirect: (url: URL) => void, readFile: (path: string, encoding: "utf8") => Promise<string>, idToken: () => Promise<string>;
  const vault: { token(): Promise<string> };
}`;

test("the documented programs compile, and the last one logs in and steps up", () => {
  const { blocks, complaints, folder } = compileDocument("clients/authorization", REST);
  expect(complaints).toBe("");
  writeFileSync(join(folder, "program.mjs"), transformSync(blocks.at(-1)!, { loader: "ts", target: "node20" }).code);
  const output = execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8", timeout: 100_000 });
  expect(output).toBe("user: notes:read\nwritten\nuser: notes:read notes:write\n");
});
