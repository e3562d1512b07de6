// The login and the store under every runtime that has sockets of its own, and what is left of them in a bundle. Needs a build.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { build } from "esbuild";
import { runtime } from "../runtimes/running.ts";
import { asked, authorizationServer, protect } from "./support.ts";

const PROGRAM = fileURLToPath(new URL("runtime-login.mjs", import.meta.url));

test.for(["node-22", "node-24", "bun", "deno"] as const)(
  "on %s a user logs in, and the tokens are there for the next process [fault Z7]",
  async (name, context) => {
    const [binary, ...args] = runtime(name, context);
    const directory = mkdtempSync(join(tmpdir(), "tenon-runtime-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const as = await authorizationServer();
    const server = await protect(as);
    const { stdout } = await promisify(execFile)(binary!, [...args, PROGRAM, server.url, join(directory, "auth")], {
      timeout: 100_000,
    });
    expect(JSON.parse(stdout)).toEqual({ texts: ['{"a":1}', '{"a":1}'], pages: 1 });
    expect([asked(as, "authorize").length, asked(as, "register").length]).toEqual([1, 1]);
  },
);

test("a bundle for browsers has no Node built-in in it; there a login needs a page of one's own [fault Z7]", async () => {
  const program = `export { oauth } from "tenon/auth";`;
  const { metafile, outputFiles } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL(".", import.meta.url)), loader: "js" },
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    conditions: ["source"],
    logLevel: "error",
  });
  expect(Object.keys(metafile.inputs).filter((name) => name.includes("src/node/"))).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  const { oauth } = (await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.text).toString("base64")}`
  )) as typeof import("tenon/auth");
  expect(() => oauth()).toThrow('pass option "callbackUrl"');
  expect(() => oauth({ callbackUrl: "https://app.example/callback" })).not.toThrow();
});
