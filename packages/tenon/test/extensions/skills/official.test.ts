/** Skills between this and the official SDK: its client with our server, our host with its server. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createMcpHandler, McpServer as OfficialServer } from "@modelcontextprotocol/server";
import { memorySkillFiles, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { serveHttp } from "tenon/node";
import { SkillHost } from "tenon/ext/skills";
import { closing } from "../../support/matrix.ts";
import { PDF, serverOf } from "./skills.ts";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

it.each(REVISIONS)("the official client of %s lists, reads and verifies our skills [Q1 Q2 Q3 Q4 Q5 Q7]", async (revision) => {
  const endpoint = await serveHttp(serverOf(PDF, { pageSize: 1 }), { port: 0 });
  onTestFinished(() => endpoint.close());
  const program = fileURLToPath(new URL("fixtures/official-client.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, endpoint.url, revision], { timeout: 100_000 });
  expect(JSON.parse(stdout)).toEqual({
    supported: [true, true],
    listed: ["skill://pdf/SKILL.md", "skill://sums/SKILL.md"],
    invalid: [],
    files: [true, true, true, true],
    children: ["SKILL.md", "logo.png", "references"],
  });
});

it.each(REVISIONS)("our host of %s loads and verifies the skills of an official server [Q3 Q4 Q7]", async (revision) => {
  const catalog = await SkillsExtension.load(memorySkillFiles({ ...PDF }));
  const handler = createMcpHandler(() => {
    const server = new OfficialServer({ name: "official", version: "1" });
    catalog.attach(server);
    return server;
  });
  const target = {
    url: "http://localhost/mcp",
    fetch: (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init)),
  };
  const client = await closing(connect(target, { revision }));
  const host = new SkillHost(client, { approve: () => true });
  const { skills, invalid } = await host.list();
  expect(invalid).toEqual([]);
  expect(skills.map(({ uri }) => uri)).toEqual(["skill://pdf/SKILL.md", "skill://sums/SKILL.md"]);
  const loaded = await host.load("skill://pdf/SKILL.md");
  for (const file of ["references/FORMS.md", "references/Q&A.md", "logo.png"])
    expect(await loaded.read(file)).toMatchObject({ verified: true });
});
