/** What the protocol has deprecated works as before; the operator is warned once. */
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { inputRequired } from "tenon";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

/** The warnings of this process: every test of this file is one more use. */
const warnings: (Error & { code?: string })[] = [];
process.on("warning", (warning) => void warnings.push(warning));

const afterwards = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describeMatrix("logging, sampling and roots [requirement S2]", ({ connect, revision, stateless }) => {
  it("work on every revision, and are warned of once a process, where they are deprecated", async () => {
    const before = warnings.length;
    const server = testServer();
    server.tool("all", {}, async (_input, ctx) => {
      await ctx.log.info("begin");
      const { content } = await ctx.sample("poem", {
        messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
        maxTokens: 9,
      });
      const roots = await ctx.roots();
      return JSON.stringify([content, roots]);
    });
    server.tool("by-hand", {}, (_input, ctx) =>
      ctx.inputResponses["where"] === undefined ? inputRequired({ inputRequests: { where: { method: "roots/list" } } }) : "done",
    );
    const heard: unknown[] = [];
    const client = await connect(server, {
      logLevel: "debug",
      onLog: ({ data }) => void heard.push(data),
      onSample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "A poem" } }),
      roots: [{ uri: "file:///a" }],
    });
    for (let call = 0; call < 2; call++) {
      expect((await client.callTool("all")).text).toBe('[{"type":"text","text":"A poem"},[{"uri":"file:///a"}]]');
      expect((await client.callTool("by-hand")).text).toBe("done");
    }
    expect(heard).toContain("begin");
    await afterwards();
    const told = warnings.slice(before);
    const isFirst = stateless && before === 0;
    expect(told.map(({ name, code }) => [name, code])).toEqual(
      isFirst ? ["LOGGING", "SAMPLING", "ROOTS"].map((feature) => ["DeprecationWarning", `TENON_${feature}`]) : [],
    );
    for (const { message } of told) expect(message).toContain(revision);
  });
});

it("an unused feature causes no warning, and the runtime's switch silences the rest [requirement S2 CV-13]", () => {
  const program = `
import { connect } from "tenon/client";
import { McpServer } from "tenon/server";
const server = new McpServer({ name: "s", version: "1" });
server.tool("t", {}, (_input, ctx) => { ctx.log.info("nobody asked for it"); return "t"; });
server.tool("u", {}, (_input, ctx) => { ctx.log.info("somebody did"); return "u"; });
const client = await connect(server);
await client.callTool("t");
console.log("-");
await client.setLoggingLevel("info");
await client.callTool("u");
await client.close();`;
  const run = (...flags: string[]): { stdout: string; stderr: string } =>
    spawnSync(process.execPath, [...flags, "--input-type=module", "-e", program], { encoding: "utf8", timeout: 100_000 });
  const { stdout, stderr } = run();
  expect(stdout).toBe("-\n");
  expect(stderr.match(/DeprecationWarning/g)).toHaveLength(1);
  expect(stderr).toContain(
    "[TENON_LOGGING] DeprecationWarning: MCP logging is deprecated as of revision 2026-07-28: " +
      "write to stderr, or use otel() of tenon/otel",
  ); // [s5]
  expect(run("--no-deprecation").stderr).toBe("");
});
