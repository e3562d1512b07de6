// `kept()` and `onReload()` of `tenon/dev`: in `tenon dev` across saves, and without it. Needs a build.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { kept, onReload } from "tenon/dev";
import { expect, test, vi } from "vitest";
import { dial, WAYS } from "./clients.ts";
import { project } from "./project.ts";

vi.setConfig({ testTimeout: 90_000 });

const server = (form: { version: number; more?: string }): string => `
import { writeFileSync } from "node:fs";
import { kept, onReload } from "tenon/dev";
import { McpServer } from "tenon/server";

const notes = kept("notes", () => new Map<string, Date>(), { version: ${form.version} });
export const server: McpServer = new McpServer({ name: "notes", version: "1.0.0" });
server.tool("add", {}, () => {
  notes.set(String(notes.size), new Date(0));
  return String(notes.size);
});
server.tool("show", {}, () => [...notes.values()].map((date) => date.toISOString().slice(0, 4)).join(" "));
${form.more ?? ""}
`;

test.each(WAYS)("a kept value is taken over, until its version is raised: $client over $how", async (way) => {
  const files = project({ "server.ts": server({ version: 1 }) });
  const client = await dial(way, files, "server.ts");
  await client.events.next("served");
  await client.call("add");
  await client.call("add");
  files.save("server.ts", server({ version: 1, more: "// saved" }));
  await client.events.next("served");
  expect(await client.call("show")).toBe("1970 1970");
  files.save("server.ts", server({ version: 2 }));
  await client.events.next("served");
  expect(await client.call("show")).toBe("");
});

test("a value that cannot be copied starts anew, and a warning names it", async () => {
  const files = project({ "server.ts": server({ version: 1, more: `kept("socket", () => () => undefined);` }) });
  const client = await dial(WAYS[0], files, "server.ts");
  await client.events.next("served");
  files.save("server.ts", server({ version: 1, more: "// saved" }));
  const { warnings } = await client.events.next("served");
  expect(warnings).toEqual([expect.stringContaining('kept("socket") starts anew')]);
});

test("onReload() runs once the last call of the version has ended", async () => {
  const state = project({});
  const left = join(state.folder, "left");
  const more = `onReload(() => writeFileSync(${JSON.stringify(left)}, ""));`;
  const files = project({ "server.ts": server({ version: 1, more }) });
  const client = await dial(WAYS[0], files, "server.ts");
  await client.events.next("served");
  expect(existsSync(left)).toBe(false);
  files.save("server.ts", server({ version: 1 }));
  await client.events.next("served");
  await vi.waitUntil(() => existsSync(left), 30_000);
});

test("without tenon dev, kept() makes the value and onReload() does nothing", () => {
  let calls = 0;
  onReload(() => calls++);
  expect({ first: kept("value", () => ++calls), second: kept("value", () => ++calls) }).toEqual({ first: 1, second: 2 });
  expect(() => kept("", () => 0)).toThrow(TypeError);
});
