// The map of the source must be true: what it names exists, and its numbers are those of the code.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { withDefaults } from "../../src/dispatch/limits.ts";
import { settingsOf } from "../../src/gateway/options.ts";
import { groupLimits } from "../../src/group/limits.ts";
import { DEFAULT_JSON_LIMITS } from "../../src/jsonrpc/json-limits.ts";
import { DEFAULT_MAX_LINE_BYTES } from "../../src/node/stdio/line-splitter.ts";
import { DEFAULT_MAX_QUEUED_BYTES, DEFAULT_MAX_UNREAD_BYTES } from "../../src/node/stdio/line-writer.ts";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../../src/node/stdio/stdio-transport.ts";
import { withHttpDefaults } from "../../src/server/http/settings.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const page = readFileSync(`${root}docs/internals/architecture.md`, "utf8");
const named = [...page.matchAll(/`([^`\s]+)`/g)].map(([, name]) => name!);

test("every file that the map names exists", () => {
  const files = named.filter((name) => name.endsWith(".ts") && name.includes("/"));
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((name) => !existsSync(`${root}packages/tenon/src/${name}`))).toEqual([]);
});

test("the table of layers has every folder of the source, and no other", () => {
  const rows = [...page.matchAll(/^\| \d \| `([\w-]+)\/` \|/gm)].map(([, folder]) => folder!);
  const folders = readdirSync(`${root}packages/tenon/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(rows.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test("every dependency has a row, and every row is a dependency", () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(`${root}packages/tenon/package.json`, "utf8")) as Record<
    string,
    object
  >;
  const rows = page.slice(page.indexOf("## Dependencies"), page.indexOf("### Bundled")).matchAll(/^\| `([^`]+)`/gm);
  const names = [dependencies, peerDependencies].flatMap((one) => Object.keys(one ?? {}));
  expect([...rows].map(([, name]) => name!).toSorted()).toEqual(names.toSorted());
});

test("every library that only the command and the gateway import has a row, and is bundled", () => {
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(
    readFileSync(`${root}packages/tenon/package.json`, "utf8"),
  ) as Record<string, object>;
  const rows = [...page.slice(page.indexOf("### Bundled")).matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name!);
  // The texts of a new project import what that project installs.
  const sources = ["cli", "inspector", "gateway"].flatMap((folder) =>
    readdirSync(`${root}packages/tenon/src/${folder}`, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const files = sources.filter((name) => /(?<!\.test|\.d)\.tsx?$/.test(name) && name !== "cli/init/project-files.ts");
  // An example in a comment imports what users import.
  const texts = files.map((name) => readFileSync(`${root}packages/tenon/src/${name}`, "utf8").replaceAll(/^\s*\*.*$/gm, "")).join("\n");
  const imported = [...texts.matchAll(/(?:from|import\() ?"((?:@[\w-]+\/)?[a-z][\w.-]*)/g)].map(([, name]) => name!);
  const installed = { ...dependencies, ...peerDependencies };
  const outside = new Set(imported.filter((name) => !name.startsWith("node") && !(name in installed)));
  expect(rows.toSorted()).toEqual([...outside].toSorted());
  expect(Object.keys(devDependencies ?? {})).toEqual(expect.arrayContaining(rows));
});

const { sessions, streams, limits: httpLimits } = withHttpDefaults({});
const connection = withDefaults({});
const stdio = {
  maxLineBytes: DEFAULT_MAX_LINE_BYTES,
  maxMessageBytes: DEFAULT_MAX_MESSAGE_BYTES,
  maxQueuedBytes: DEFAULT_MAX_QUEUED_BYTES,
  maxUnreadBytes: DEFAULT_MAX_UNREAD_BYTES,
};
const inGroup = (group: string, options: object): [string, unknown][] =>
  Object.entries(options).map(([name, value]) => [`${group}.${name}`, value]);
const defaults: Record<string, unknown> = {
  ...connection,
  ...DEFAULT_JSON_LIMITS,
  ...Object.fromEntries([
    ...inGroup("limits", { ...connection, ...httpLimits, ...groupLimits({}), ...settingsOf({ servers: {} }).limits, ...stdio }),
    ...inGroup("sessions", sessions),
    ...inGroup("streams", streams),
  ]),
};
const limits = [...page.matchAll(/^\| (`[\w.]+`(?:, `[\w.]+`)*) \| (\d[\d, ]*) \|/gm)].flatMap(([, names, numbers]) =>
  names!.split(", ").map((name, at) => [name.slice(1, -1), Number(numbers!.split(", ")[at])] as const),
);

test("the table of limits is read", () => expect(limits.length).toBeGreaterThan(20));

test.each(limits)("the default of %s is %i", (name, value) => {
  expect(defaults[name]).toBe(value);
});
