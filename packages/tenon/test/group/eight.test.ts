/** Eight servers as one: real ones, one over HTTP, one of ours, and three that are no good. Needs a build. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { RequestTimeoutError } from "tenon";
import { ClientSessionGroup, ServerUnavailableError, type ServerEntries } from "tenon/group";
import { serveHttp } from "tenon/node";
import { serverWith, statesOf } from "./support.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const file = (path: string): string => join(root, path);
const program = (path: string, ...args: string[]) => ({
  command: process.execPath,
  args: [file(path), ...args],
  stderr: "ignore" as const,
});
const official = (name: string, ...args: string[]) =>
  program(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, ...args);

const HEALTHY = ["everything", "files", "memory", "http", "ours", "liar"] as const;
/** What these tools need to end soon. */
const ARGUMENTS: { [name: string]: object } = {
  "everything__trigger-long-running-operation": { duration: 0.01, steps: 1 },
};

test("a group of eight: 3 real, 1 over HTTP, 1 of Tenon, 1 hangs, 1 dies, 1 lies [SG-09 SG-14 SG-16 fault G1]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-group-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "note.txt"), "from the file");
  const http = await serveHttp(serverWith("http", "ping"), { port: 0 });
  onTestFinished(() => http.close());
  const servers: ServerEntries = {
    everything: official("everything"),
    files: official("filesystem", folder),
    memory: { ...official("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.json") } },
    http: http.url,
    hangs: { ...program("packages/tenon/test/group/fixtures/odd-program.mjs", "hangs"), timeouts: { exit: 100 } },
    dies: program("packages/tenon/test/group/fixtures/odd-program.mjs", "dies"),
    liar: program("packages/tenon/test/group/fixtures/odd-program.mjs", "lies"),
    ours: program("packages/tenon/test/group/fixtures/ours.mjs"),
  };
  const errors: string[] = [];
  const group = await ClientSessionGroup.connect(servers, {
    onServerError: ({ message }, server) => errors.push(`${server}: ${message}`),
  });
  onTestFinished(() => group.close());
  // The one that hangs did not hold the group up. Healthy ones of a busy machine may still be on their way.
  await expect.poll(() => statesOf(group)).toMatchObject(Object.fromEntries(HEALTHY.map((name) => [name, "connected"])));

  expect(statesOf(group)["hangs"]).toBe("connecting");
  expect(["waiting", "connecting", "broken"]).toContain(statesOf(group)["dies"]);
  expect(errors.filter((error) => error.startsWith("dies"))[0]).toMatch(
    /^dies: Connection closed: the server exited with code 3/,
  );
  expect([...group.tools.keys()].filter((name) => name.startsWith("liar__"))).toEqual(["liar__honest"]);
  for (const tool of ["no-schema", "wrong-schema", "nonsense", "elsewhere"]) {
    expect(errors).toContainEqual(expect.stringMatching(new RegExp(`^liar: .*"${tool}" is left out`)) as string);
  }

  // Every tool is reached: what it makes of empty arguments is its own affair.
  const owners = new Set<string>();
  const outcomes = [...group.tools.keys()].map(async (name) => {
    owners.add(name.slice(0, name.indexOf("__")));
    const outcome = await group
      .callTool(name, { ...ARGUMENTS[name] }, { validateOutput: false, timeout: 60_000 })
      .catch((error: unknown) => error);
    expect(outcome).not.toBeInstanceOf(ServerUnavailableError);
    expect(outcome).not.toBeInstanceOf(RequestTimeoutError);
    expect(String(outcome)).not.toContain("Unknown tool");
    return name;
  });
  expect((await Promise.all(outcomes)).length).toBeGreaterThan(30);
  expect([...owners].sort()).toEqual([...HEALTHY].sort());
  expect((await group.callTool("everything__echo", { message: "hi" })).text).toBe("Echo: hi");
  expect((await group.callTool("files__read_text_file", { path: join(folder, "note.txt") })).text).toBe("from the file");
  expect((await group.callTool("memory__read_graph")).data).toMatchObject({ entities: [] });
  expect((await group.callTool("http__ping")).text).toBe("http.ping");
  expect((await group.callTool("ours__add", { a: 1, b: 2 })).data).toEqual({ sum: 3 });
  expect((await group.callTool("liar__honest")).text).toBe("called honest");
});
