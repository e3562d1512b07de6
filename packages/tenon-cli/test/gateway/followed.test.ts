/** A configuration file that changes while `tenon gateway` follows it. Needs a build. */
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { runCommand } from "../cli/run-command.ts";
import { MAIN } from "../cli/start-command.ts";
import { configFile } from "../../../tenon/test/gateway/support.ts";
import { clientOf, entry, names } from "./served-file.ts";

it("applies changed rules and quotas without restarting a server, and says what waits for the next start", async () => {
  const made = await configFile({ mcpServers: { a: entry, b: entry } });
  const client = await clientOf(made);
  const pids = async (): Promise<(string | undefined)[]> =>
    Promise.all(["a__pid", "b__pid"].map(async (tool) => (await client.callTool(tool)).text));
  const before = await pids();
  const changes = await client.listen({ tools: true });
  await made.write({
    mcpServers: { a: { ...entry, tenon: { deny: ["die"] } }, b: { ...entry, tenon: { quota: { requests: 1 } } } },
  });
  do await changes.next();
  while ((await names(client)).includes("a__die"));
  expect(await pids()).toEqual(before);
  await expect(client.callTool("b__pid")).rejects.toMatchObject({ data: { server: "b", max: 1 } });
  await made.write({ tenon: { search: true }, mcpServers: { a: entry, b: entry } });
  do await changes.next();
  while (!(await names(client)).includes("a__die"));
  expect(await pids()).toEqual(before);
});

it("keeps the rules of the servers that it serves if the servers of a changed file are refused", async () => {
  const first = { mcpServers: { a: { ...entry, tenon: { deny: ["die"] } }, b: entry } };
  const made = await configFile(first);
  const notes: string[] = [];
  const command = { command: process.execPath, args: [MAIN, "gateway", made.file, "--yes"], ...made.user };
  const client = await connect({ ...command, stderr: { write: (chunk) => notes.push(new TextDecoder().decode(chunk)) } });
  onTestFinished(() => client.close());
  expect(await names(client)).not.toContain("a__die");
  // Both servers would have the prefix "x_y", and nothing denies "die" any more.
  await made.write({ mcpServers: { a: entry, b: entry, "x y": entry, x_y: entry } });
  await expect.poll(() => notes.join(""), { timeout: 90_000 }).toContain("was not applied");
  await expect(client.callTool("a__die")).rejects.toMatchObject({ code: -32602 });
  await made.write({ mcpServers: { ...first.mcpServers, c: entry } });
  await expect.poll(() => names(client), { timeout: 90_000 }).toContain("c__pid");
  await expect(client.callTool("a__die")).rejects.toMatchObject({ code: -32602 });
});

it("names each setting that waits for the next start once, and says nothing when it is as before", async () => {
  const made = await configFile({ tenon: { http: { port: 0 } }, mcpServers: { a: entry } });
  const steps: [tenon: object, added: string][] = [
    [{ http: { port: 4_001, allowedHosts: ["gateway.example"] } }, "b"],
    [{ http: { port: 4_001, allowedHosts: ["gateway.example"] }, readyTimeout: 5 }, "c"],
    [{ http: { port: 0 }, readyTimeout: 5 }, "d"],
    [{ http: { port: 0 } }, "e"],
    [{ http: { port: 4_001 } }, "f"],
    [{ http: { port: 4_001 } }, "g"],
  ];
  const servers: Record<string, object> = { a: entry };
  let at = 0;
  let saving = Promise.resolve();
  const ended = await runCommand(["gateway", made.file, "--http", "--yes"], {
    ...made.user,
    onStderr: (text, kill) => {
      const last = at === 0 ? "Serving " : `added ${steps[Math.min(at, steps.length) - 1]![1]}\n`;
      if (at > steps.length || !text.includes(last)) return;
      const step = steps[at++];
      if (step === undefined) return kill("SIGINT");
      servers[step[1]] = entry;
      saving = made.write({ tenon: step[0], mcpServers: servers });
    },
  });
  await saving;
  expect(ended.code).toBe(0);
  const said = ended.stderr
    .split("\n")
    .flatMap((line) => /takes effect when the gateway starts again: (.*)$/.exec(line)?.[1] ?? []);
  expect(said).toEqual(["http.port, http.allowedHosts", "readyTimeout", "http.port"]);
  expect(ended.stderr).not.toContain("no server was restarted");
});
/**
 * Ways in which a file becomes another one while it is followed. Each makes the file, and says its path and how it becomes the
 * other.
 */
const REPLACED: Record<
  string,
  (folder: string, first: string, second: string) => Promise<{ path: string; replace: () => Promise<void> }>
> = {
  "a ConfigMap of Kubernetes": async (folder, first, second) => {
    for (const [name, text] of Object.entries({ "..1": first, "..2": second })) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "mcp.json"), text);
    }
    await symlink("..1", join(folder, "..data"));
    await symlink("..data/mcp.json", join(folder, "mcp.json"));
    await symlink("..2", join(folder, "..data_tmp"));
    return { path: join(folder, "mcp.json"), replace: () => rename(join(folder, "..data_tmp"), join(folder, "..data")) };
  },
  "a folder of a release": async (folder, first, second) => {
    for (const [name, text] of Object.entries({ one: first, two: second })) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "mcp.json"), text);
    }
    await symlink("one", join(folder, "current"));
    await symlink("two", join(folder, "next"));
    return { path: join(folder, "current", "mcp.json"), replace: () => rename(join(folder, "next"), join(folder, "current")) };
  },
  "a link to a file elsewhere": async (folder, first, second) => {
    await mkdir(join(folder, "elsewhere"));
    const file = join(folder, "elsewhere", "real.json");
    await writeFile(file, first);
    await symlink(file, join(folder, "mcp.json"));
    return { path: join(folder, "mcp.json"), replace: () => writeFile(file, second) };
  },
  "a file that an editor renames": async (folder, first, second) => {
    const path = join(folder, "mcp.json");
    await writeFile(path, first);
    await writeFile(`${path}.new`, second);
    return { path, replace: () => rename(`${path}.new`, path) };
  },
};

it.each(Object.keys(REPLACED))("follows %s", async (way) => {
  const made = await configFile({ mcpServers: {} });
  const folder = join(made.folder, "followed");
  await mkdir(folder);
  const [first, second] = [{ a: entry }, { a: entry, b: entry }].map((mcpServers) => JSON.stringify({ mcpServers }));
  const { path, replace } = await REPLACED[way]!(folder, first!, second!);
  const client = await clientOf({ ...made, file: path });
  expect(await names(client)).toEqual(["a__die", "a__pid"]);
  await replace();
  await expect.poll(() => names(client), { timeout: 90_000 }).toContain("b__pid");
});

it("serves what it served while a file is cut off, a folder or gone, and follows it when it is whole again", async () => {
  const made = await configFile({ mcpServers: { a: entry } });
  const notes: string[] = [];
  const command = { command: process.execPath, args: [MAIN, "gateway", made.file, "--yes"], ...made.user };
  const client = await connect({ ...command, stderr: { write: (chunk) => notes.push(new TextDecoder().decode(chunk)) } });
  onTestFinished(() => client.close());
  expect(await names(client)).toContain("a__pid");
  const said = async (part: string): Promise<void> => {
    await expect.poll(() => notes.join(""), { timeout: 90_000 }).toContain(part);
  };
  await writeFile(made.file, '{ "mcpServers": {');
  await said("not valid JSON");
  await rm(made.file);
  await said("cannot be read: ENOENT");
  await mkdir(made.file);
  await said("cannot be read: EISDIR");
  expect(await names(client)).toContain("a__pid");
  await rm(made.file, { recursive: true });
  await made.write({ mcpServers: { a: entry, "städte 東京": entry } });
  await expect.poll(async () => (await names(client)).length, { timeout: 90_000 }).toBe(4);
});
