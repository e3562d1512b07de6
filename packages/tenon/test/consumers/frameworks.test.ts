/** Projects of SvelteKit and Astro with the routes of docs/serving/frameworks.md, built and started as processes. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "tenon";
import { freePort } from "../../../../scripts/free-port.mjs";
import { needs } from "../support/needs.ts";
import { layOut, run } from "./consumer.ts";

needs("consumers");

const page = readFileSync(new URL("../../../../docs/serving/frameworks.md", import.meta.url), "utf8");

/** Writes files of the page into a project. */
function writeBlocks(folder: string, files: readonly string[]): void {
  for (const file of files) {
    const code = page.split(`\`\`\`ts [${file}]\n`)[1]!.split("\n```")[0]!;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${code}\n`);
  }
}

/** Starts a program of the project, and resolves when it listens. It ends with the test. */
async function start(folder: string, program: string, port: number): Promise<void> {
  const env = {
    ...process.env,
    NODE_OPTIONS: "",
    ASTRO_TELEMETRY_DISABLED: "1",
    HOST: "127.0.0.1",
    PORT: String(port),
    ORIGIN: `http://localhost:${port}`,
  };
  const child = spawn(process.execPath, [program], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (said: Buffer) => /listening/i.test(String(said)) && resolve());
    child.on("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
  });
}

test.each([
  ["SvelteKit", "sveltekit", "node_modules/vite/bin/vite.js", "build/index.js", "src/routes/mcp/+server.ts"],
  ["Astro", "astro", "node_modules/astro/astro.js", "dist/server/entry.mjs", "src/pages/mcp.ts"],
])("a project of %s serves calls on both families of revisions", async (_name, files, builder, program, route) => {
  const folder = layOut(files, files);
  writeBlocks(folder, ["src/mcp.ts", route]);
  const built = run(folder, builder, "build");
  expect(built.status, built.output).toBe(0);
  const port = await freePort();
  await start(folder, program, port);
  const url = `http://localhost:${port}/mcp`;
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    await using client = await connect(url, { revision });
    expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");
  }
});
