/** What `tenon gateway check` says of names that no server offers. Needs a build. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runCommand } from "../cli/run-command.ts";
import { configFile } from "../../../tenon/test/gateway/support.ts";

const MORTAL = fileURLToPath(new URL("../../../tenon/test/gateway/mortal-server.mjs", import.meta.url));
const entry = { command: process.execPath, args: [MORTAL] };

it("check lists what fits nothing: rules, pinned tools, names of the command line and of a file of pins, by line", async () => {
  const pin = { digest: "x", definition: {} };
  const a = { ...entry, tenon: { prefix: "m", allow: ["pid", "pidd"] } };
  const deny = ["nosuch_*", { name: ["pid", "other"], users: "ada" }];
  const config = { tenon: { deny, search: { pinned: ["m__pid", "a__pid"] }, pins: "pins.json" }, mcpServers: { a } };
  const made = await configFile(config);
  const pins = join(made.folder, "pins.json");
  await writeFile(pins, JSON.stringify({ servers: { a: { pid: pin, gone: pin }, b: { x: pin } } }));
  const end = ": fits nothing that the servers offer";
  const said = async (): Promise<string[]> => {
    const { code, stdout } = await runCommand(
      ["gateway", "check", "--yes", "--deny", "a__x", "--deny", "a__d*", made.file],
      made.user,
    );
    expect(code).toBe(0);
    return stdout.split("\n").flatMap((line) => (line.endsWith(end) ? [line.slice(0, -end.length)] : []));
  };
  const lines = (await readFile(made.file, "utf8")).split("\n");
  const at = (part: string): string => `${made.file}: line ${lines.findIndex((line) => line.includes(part)) + 1}`;
  const ofPins = [`${pins}: server "a", tool "gone"`, `${pins}: server "b"`];
  expect(await said()).toEqual([
    `${at("nosuch")}, field "tenon.deny[0]"`,
    `${at('"other"')}, field "tenon.deny[1].name[1]"`,
    `${at('"a__pid"')}, field "tenon.search.pinned[1]"`,
    `${at('"pidd"')}, server "a", field "tenon.allow[1]"`,
    "--deny a__x",
    ...ofPins,
  ]);
  // it may offer what rules of all servers name
  await made.write({ ...config, mcpServers: { a, off: { ...entry, disabled: true } } });
  expect(await said()).toEqual([`${at('"pidd"')}, server "a", field "tenon.allow[1]"`, ...ofPins]);
});

it("check says nothing of a prefix of another server", async () => {
  const made = await configFile({ mcpServers: { a: entry, b: { ...entry, tenon: { prefix: "m" } } } });
  expect(await runCommand(["gateway", "check", "--yes", made.file], made.user)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^a: 2 tools[^]*\nb: 2 tools/) as string,
  });
});

it("names a folder, and a file that is empty", async () => {
  const made = await configFile({});
  await writeFile(made.file, "");
  expect((await runCommand(["gateway", "check", made.folder], made.user)).stderr).toContain(
    `${made.folder} is a folder: give the configuration in it, such as ${join(made.folder, "mcp.json")}.`,
  );
  expect((await runCommand(["gateway", made.file], made.user)).stderr).toContain(
    `${made.file} cannot be used:\n- is empty. It must be JSON`,
  );
});

it.each([
  ["check", (file: string) => ["gateway", "check", "--yes", file]],
  ["approve", (file: string) => ["gateway", "approve", "--yes", file, "--pins", `${file}.pins`]],
])("%s shows what a program writes to stderr without what it could do to a terminal", async (_what, words) => {
  const says = "process.stderr.write('first\\u001b[2Jline\\u202e\\nlast\\u009b31m one'); process.exitCode = 3";
  const made = await configFile({ mcpServers: { loud: { command: process.execPath, args: ["-e", says] } } });
  const { stderr } = await runCommand(words(made.file), made.user);
  expect(stderr).toContain("firstline\n");
  for (const hidden of ["\u001B", "\u202E", "\u009B"]) expect(stderr).not.toContain(hidden);
});
