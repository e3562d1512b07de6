// The servers on the pages of docs/moving are run, before and after they were moved: a client gets the same of both.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { type Client, connect } from "tenon/client";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { assertHas } from "../support/needs.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const folder = join(root, "out", "moving");
const NOT_BUNDLED = ["zod", "express", "@modelcontextprotocol/sdk/*", "re2js", "cross-spawn"];

/** The programs of a page, in a language. */
function programsOf(page: string, language: string): string[] {
  const text = readFileSync(join(root, "docs/moving", `${page}.md`), "utf8");
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map((match) => match[1]!);
}

/** A program in TypeScript as one that Node runs, with this repository's Tenon in it. Returns where it is. */
function built(name: string, source: string): string {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, source);
  const outfile = join(folder, `${name}.mjs`);
  const options = { bundle: true, format: "esm", platform: "node", target: "node20", logLevel: "silent" } as const;
  buildSync({ entryPoints: [file], outfile, conditions: ["source"], external: NOT_BUNDLED, ...options });
  return outfile;
}

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
});

async function connectedTo(program: string): Promise<Client> {
  const client = await connect({ command: process.execPath, args: [program] });
  onTestFinished(() => client.close());
  return client;
}

/** What a client gets of a server for notes: a call, the same call again, a resource, a prompt. */
async function seenBy(client: Client): Promise<unknown> {
  const note = { name: "tomorrow", text: "Rest" };
  const added = await client.callTool("add", note);
  const again = await client.callTool("add", note);
  const { contents } = await client.readResource("note://all/tomorrow");
  const { messages } = await client.getPrompt("summarise", { name: "today" });
  return {
    tools: (await client.listTools()).tools.map(({ name, description }) => [name, description]),
    added: added.data ?? added.text,
    again: [again.isError, again.text],
    contents: contents.map((content) => ("text" in content ? [content.uri, content.mimeType, content.text] : [])),
    messages: messages.map(({ role, content }) => [role, content]),
  };
}

const notes = (added: unknown): unknown => ({
  tools: [["add", "Adds a note"]],
  added,
  again: [true, "There is such a note"],
  contents: [["note://all/tomorrow", "text/plain", "Rest"]],
  messages: [["user", { type: "text", text: "Summarise: Buy milk" }]],
});

describe("a server for notes", () => {
  test("of FastMCP (Python), after the move", async () => {
    const [after] = programsOf("from-fastmcp", "ts");
    expect(await seenBy(await connectedTo(built("fastmcp-python", after!)))).toEqual(notes({ count: 2 }));
  });

  test("of fastmcp (npm), after the move", async () => {
    const [after] = programsOf("from-fastmcp-npm", "ts");
    expect(await seenBy(await connectedTo(built("fastmcp-npm", after!)))).toEqual(notes("2 notes"));
  });

  test("of fastmcp (npm), before the move", async (context) => {
    assertHas(context, "frameworks");
    const [before] = programsOf("from-fastmcp-npm", "js");
    const packages = join(root, "packages/tenon/test/moving/packages/node_modules");
    mkdirSync(join(folder, "before"));
    symlinkSync(packages, join(folder, "before/node_modules"));
    const program = join(folder, "before/server.mjs");
    writeFileSync(program, before!);
    expect(await seenBy(await connectedTo(program))).toEqual(notes("2 notes"));
  });
});

/** Connects when the program listens. */
async function connectedWhenReady(url: string): Promise<Client> {
  for (;;) {
    try {
      return await connect(url);
    } catch (error) {
      if (!String(error).includes("ECONNREFUSED") && !String((error as Error).cause).includes("ECONNREFUSED")) throw error;
    }
  }
}

test.each([
  ["before", 4],
  ["after", 5],
])("Express with a map of sessions, %s the move", async (name, index) => {
  const port = await freePort();
  const source = programsOf("from-typescript", "ts")[index]!;
  expect(source).toContain("3000");
  const program = spawn(process.execPath, [built(`express-${name}`, source.replace("3000", String(port)))], { stdio: "inherit" });
  onTestFinished(() => void program.kill());
  const client = await connectedWhenReady(`http://127.0.0.1:${port}/mcp`);
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["hello"]);
  expect((await client.callTool("hello")).text).toBe("Hello");
});
