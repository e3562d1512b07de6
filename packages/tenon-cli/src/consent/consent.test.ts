/**
 * What the user agreed to is kept, and nothing else; without a question only what was agreed to, or what `--yes` covers, is used.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { EntryDemand } from "tenon/internal";
import type { Shell } from "../shell.ts";
import { Terminal } from "../terminal/terminal.ts";
import { Consent } from "./consent.ts";

const demand = (server: string | undefined, digest: string): EntryDemand => ({
  ...{ server, digest, variables: [], files: [], written: [], origins: [] },
  program: { command: "npx", args: [digest] },
});
const [a, b, whole] = [demand("a", "1"), demand("b", "2"), demand(undefined, "3")];

/** A user with a folder of its own, who types these lines at a terminal; without lines there is no terminal. */
function user(lines?: readonly string[]) {
  const home = mkdtempSync(join(tmpdir(), "tenon-consents-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const stream = (): PassThrough & { isTTY?: boolean } => Object.assign(new PassThrough(), lines && { isTTY: true });
  const [stdin, stdout, stderr] = [stream(), stream(), stream()];
  let shown = "";
  const typed = [...(lines ?? [])];
  stderr.on("data", (text: Buffer) => {
    shown += text.toString();
    if (text.toString().includes("[y]es, [n]o: ")) stdin.write(`${typed.shift() ?? ""}\n`);
  });
  const env = { XDG_CONFIG_HOME: join(home, "config"), HOME: home };
  const shell = { cwd: home, env, home, stdin, stdout, stderr } as unknown as Shell; // a consent asks for no more of it
  const asks = (values: { yes?: boolean } = {}) => {
    const invocation = { shell, terminal: new Terminal(shell), values, signal: new AbortController().signal };
    const consent = new Consent(invocation);
    return { consent, ask: consent.asking("mcp.json", invocation) };
  };
  return { asks, shown: () => shown };
}

const NONE = new Set();

test("a yes is kept for each entry, asked for once; a no, an empty line and no terminal read and keep nothing", async () => {
  const { asks, shown } = user(["no", "", "perhaps", " YES "]);
  for (const _ of ["no", "an empty line"]) {
    await expect(asks().ask([a, b])).rejects.toThrow(/^Nothing was read or started\.$/);
    expect(await asks().consent.refusedOf([a, b])).toEqual(new Set(["a", "b"]));
  }
  expect(shown()).toContain("a would start: npx 1");
  await asks().ask([a]);
  expect(await asks().consent.refusedOf([a, b])).toEqual(new Set(["b"]));
  const before = shown().length;
  expect(await asks().ask([a])).toEqual(NONE);
  expect(shown()).toHaveLength(before);

  const other = user();
  await expect(other.asks().ask([a, whole])).rejects.toThrow(
    /^Nothing of mcp\.json was read or started, because you have not agreed to "a", its settings and there is no terminal/,
  );
  expect(await other.asks().consent.refusedOf([a])).toEqual(new Set(["a"]));
});

test("an entry that was agreed to is not shown again with a new one", async () => {
  const { asks, shown } = user(["y", "y"]);
  await asks().ask([a]);
  await asks().ask([a, b]);
  expect(shown().match(/would start: npx 1/g)).toHaveLength(1);
  expect(await asks().consent.refusedOf([a, b])).toEqual(NONE);
});

test("--yes agrees to all, also of a file that changes later, and keeps it", async () => {
  const { asks } = user();
  const { consent, ask } = asks({ yes: true });
  expect(await ask([a])).toEqual(NONE);
  expect(await consent.refusedOf([a, b, whole])).toEqual(NONE);
  expect(await asks().consent.refusedOf([a, b, whole])).toEqual(NONE);
});

test("without the user's consent, settings of the whole file stop the file, and a server's leave that server out", async () => {
  const { asks } = user();
  await expect(asks().consent.refusedOf([a, whole])).rejects.toThrow(
    'its member "tenon" sends or writes something that you have not agreed to',
  );
  expect(await asks().consent.refusedOf([a])).toEqual(new Set(["a"]));
});

test("a damaged file of consents, or another file, agrees to nothing, and is written anew for the user alone", async () => {
  const { asks } = user();
  for (const text of ["{", "null", '{"programs":{"1":true}}', '{"programs":[1,["1"]]}', '["1"]']) {
    const { consent, ask } = asks();
    writeFileSync(consent.file, text);
    expect(await consent.refusedOf([a]), text).toEqual(new Set(["a"]));
    await expect(ask([a]), text).rejects.toThrow("you have not agreed");
  }
  const { consent, ask } = asks({ yes: true });
  rmSync(consent.file);
  await ask([b, a]);
  expect(JSON.parse(readFileSync(consent.file, "utf8"))).toEqual({ programs: ["2", "1"] });
  const modes = [consent.file, dirname(consent.file)].map((path) => (statSync(path).mode & 0o777).toString(8));
  expect(modes).toEqual(process.platform === "win32" ? modes : ["600", "700"]);
});

test("without anything to ask for, nothing is kept", async () => {
  const { asks } = user();
  const { consent, ask } = asks();
  expect(await ask([])).toEqual(NONE);
  expect(() => statSync(consent.file)).toThrow("ENOENT");
});
