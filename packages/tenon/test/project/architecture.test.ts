// The map of the source, on three pages, must be true: what it names exists, and its numbers are those of the code.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { httpLimits as clientHttpLimits } from "../../src/client/http/options.ts";
import { withDefaults } from "../../src/dispatch/limits.ts";
import { settingsOf } from "../../src/gateway/settings.ts";
import { groupLimits, groupTimes } from "../../src/group/options.ts";
import { DEFAULT_JSON_LIMITS } from "../../src/jsonrpc/json-limits.ts";
import { DEFAULT_MAX_LINE_BYTES } from "../../src/node/stdio/line-splitter.ts";
import { DEFAULT_MAX_QUEUED_BYTES, DEFAULT_MAX_UNREAD_BYTES } from "../../src/node/stdio/line-writer.ts";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../../src/node/stdio/stdio-transport.ts";
import { withHttpDefaults } from "../../src/server/http/settings.ts";
import { MAX_WAITING } from "../../src/transport/memory.ts";
import { LIST_LIMITS } from "../../src/upstream/listing.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const page = ["architecture", "request-path", "limits"]
  .map((name) => readFileSync(`${root}docs/internals/${name}.md`, "utf8"))
  .join("\n");

const internals = readdirSync(`${root}docs/internals`).filter((name) => name.endsWith(".md"));

test.each(internals)("every file that docs/internals/%s names exists there", (name) => {
  const text = readFileSync(`${root}docs/internals/${name}`, "utf8");
  const files = [...text.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, file]) => file!);
  const folders = ["src/", "", ...(name === "gateway-owners.md" ? ["src/gateway/"] : [])];
  expect(files.filter((file) => !folders.some((folder) => existsSync(`${root}packages/tenon/${folder}${file}`)))).toEqual([]);
});

test("every file that a comment of the source names exists", () => {
  const src = `${root}packages/tenon/src`;
  const lost = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const comments = readFileSync(join(src, file), "utf8").matchAll(/^\s*(?:\/?\*|\/\/).*$/gm);
      const names = [...comments].flatMap(([line]) =>
        [...line.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.tsx?)`/g)].map(([, name]) => name!),
      );
      const folders = [dirname(join(src, file)), src, `${root}packages/tenon`];
      return names.filter((name) => !folders.some((folder) => existsSync(join(folder, name)))).map((name) => `${file}: ${name}`);
    });
  expect(lost).toEqual([]);
});

test.each(["CONTRIBUTING.md", "docs/internals/glossary.md"])("every file and folder that %s names exists", (name) => {
  const text = readFileSync(`${root}${name}`, "utf8");
  const paths = [...text.matchAll(/`([^`\s*]+)`/g)]
    .map(([, path]) => path!)
    .filter((path) => /^[\w.-]+\/.*(\/|\.\w+)$/.test(path));
  const folders = ["", "packages/tenon/", "packages/tenon-cli/"];
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !folders.some((folder) => existsSync(`${root}${folder}${path}`)))).toEqual([]);
});

test.each(["maxHeld", "completion/complete"])("the recipe that adds what %s is names each file that has it", (name) => {
  const recipes = readFileSync(`${root}CONTRIBUTING.md`, "utf8");
  const sources = ["tenon", "tenon-cli", "sdk-v1"].flatMap((each) => {
    const src = `packages/${each}/src`;
    return readdirSync(`${root}${src}`, { recursive: true, encoding: "utf8" }).map((file) => `${src}/${file}`);
  });
  const holders = sources
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && readFileSync(`${root}${file}`, "utf8").includes(name))
    .map((file) => file.replace("packages/tenon/", ""))
    .filter((file) => !/^src\/(wire|protocol)\//.test(file)); // step 1 to 3 of a method
  expect(holders.length).toBeGreaterThan(2);
  expect(holders.filter((file) => !recipes.includes(`\`${file}\``))).toEqual([]);
});

test("the table of layers has every folder of the source, and no other", () => {
  const rows = [...page.matchAll(/^\| \d+ \| `([\w-]+)\/` \|/gm)].map(([, folder]) => folder!);
  const folders = readdirSync(`${root}packages/tenon/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(rows.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test("the table of the command has every folder of its source, and no other", () => {
  const rows = page
    .slice(page.indexOf("In `packages/tenon-cli/src`:"), page.indexOf("## Where to look"))
    .matchAll(/^\| (`[^|]+) \|/gm);
  const named = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([\w-]+)\/`/g)].map(([, folder]) => folder!));
  const folders = readdirSync(`${root}packages/tenon-cli/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

type Manifest = Readonly<Record<"dependencies" | "devDependencies", Record<string, string>>> & {
  readonly peerDependencies?: Record<string, string>;
};
const PACKAGES = ["tenon", "tenon-cli"] as const;
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(`${root}packages/${name}/package.json`, "utf8")) as Manifest; // our own files
/** The first cells of the rows between two headings. */
const rowsBetween = (start: string, end?: string): string[] =>
  [...page.slice(page.indexOf(start), end === undefined ? undefined : page.indexOf(end)).matchAll(/^\| `([^`]+)`/gm)].map(
    ([, name]) => name!,
  );

test.each([
  ["tenon", "### Of tenon\n", "### Of tenon-cli"],
  ["tenon-cli", "### Of tenon-cli", "### Of tenon-sdk-v1"],
  ["sdk-v1", "### Of tenon-sdk-v1", "### Bundled"],
])("every dependency of %s has a row, and every row is a dependency", (name, start, end) => {
  const { dependencies, peerDependencies } = manifestOf(name);
  const names = Object.keys({ ...dependencies, ...peerDependencies }).filter((each) => each !== "tenon");
  expect(rowsBetween(start, end).toSorted()).toEqual(names.toSorted());
});

/** Libraries that the sources of a package import, and that are not installed with it. */
function bundledIn(name: (typeof PACKAGES)[number]): string[] {
  const { dependencies, peerDependencies, devDependencies } = manifestOf(name);
  const src = `${root}packages/${name}/src`;
  const names = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file));
  // The texts of a new project import what that project installs.
  const files = names.filter((file) => file !== "init/project-files.ts");
  // An example in a comment imports what users import.
  const texts = files.map((file) => readFileSync(`${src}/${file}`, "utf8").replaceAll(/^\s*\*.*$/gm, "")).join("\n");
  const imported = [...texts.matchAll(/(?:from|import\() ?"((?:@[\w-]+\/)?[a-z][\w.-]*)/g)].map(([, each]) => each!);
  return [...new Set(imported)].filter(
    (each) => !each.startsWith("node") && each in devDependencies && !(each in { ...dependencies, ...peerDependencies }),
  );
}

test("every library that is bundled has a row, and every row is bundled", () => {
  const bundled = new Set(PACKAGES.flatMap(bundledIn));
  expect(rowsBetween("### Bundled").toSorted()).toEqual([...bundled].toSorted());
});

const { sessions, streams, limits: httpLimits } = withHttpDefaults({});
const connection = withDefaults({});
const stdio = {
  maxLineBytes: DEFAULT_MAX_LINE_BYTES,
  maxMessageBytes: DEFAULT_MAX_MESSAGE_BYTES,
  maxQueuedBytes: DEFAULT_MAX_QUEUED_BYTES,
  maxUnreadBytes: DEFAULT_MAX_UNREAD_BYTES,
};
const memory = { maxWaiting: MAX_WAITING };
const inGroup = (group: string, options: object): [string, unknown][] =>
  Object.entries(options).map(([name, value]) => [`${group}.${name}`, value]);
const defaults: Record<string, unknown> = {
  ...connection,
  ...DEFAULT_JSON_LIMITS,
  ...Object.fromEntries([
    ...inGroup("limits", {
      ...connection,
      ...httpLimits,
      ...groupLimits({}),
      ...settingsOf({ servers: {} }).limits,
      ...stdio,
      ...memory,
    }),
    ...inGroup("sessions", sessions),
    ...inGroup("streams", streams),
  ]),
};
/** The numbers of all tables of options in the source, by name. */
const numbers = readdirSync(`${root}packages/tenon/src`, { recursive: true, encoding: "utf8" })
  .filter((file) => /(?<!\.test)\.ts$/.test(file))
  .flatMap((file) => [
    ...readFileSync(`${root}packages/tenon/src/${file}`, "utf8").matchAll(/: NumberTable<.*?> = (?:\/\*.*?\*\/ )?\{([^}]*)\}/g),
  ])
  .flatMap(([, rows]) => [...rows!.matchAll(/(\w+): \[([\w *]+)/g)])
  .map(([, name, product]) => [name!, productOf(product!)] as const)
  .filter(([, value]) => value !== Infinity);

function productOf(text: string): number {
  return text.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}

const limits = [...page.matchAll(/^\| (`[\w.]+`(?:, `[\w.]+`)*)( of [^|]+)? \| (\d[\d, ]*) \|/gm)].flatMap(
  ([, names, owner, values]) =>
    names!.split(", ").map((name, at) => [name.slice(1, -1), Number(values!.split(", ")[at]), owner] as const),
);

test("the table of limits is read", () => expect(limits.length).toBeGreaterThan(60));

test.each(limits)("the default of %s is %i", (name, value, owner) => {
  const isGeneral = owner === undefined && name in defaults;
  const known = isGeneral
    ? [defaults[name]]
    : numbers.filter(([each]) => each === name.split(".").at(-1)).map(([, each]) => each);
  expect(known).toContain(value);
});

test.each(numbers)("the table of limits has %s, %i", (name, value) => {
  expect(limits.filter(([each]) => each.split(".").at(-1) === name).map(([, each]) => each)).toContain(value);
});

/** A number as docstrings write it. */
function written(value: number): string[] {
  const [minutes, hours, mebi] = [value / 60_000, value / 3_600_000, value / 2 ** 20];
  const grouped = String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, " ");
  return [grouped, `${minutes} minutes`, `${hours} hours`, `${mebi} Mi`, ...(value === Infinity ? ["no limit"] : [])];
}

const { connectTimeout } = groupTimes({});
/** The options of each table whose sentences stand in a file. */
const tables: readonly [file: string, presets: object][] = [
  ["dispatch/limits.ts", connection],
  ["server/http/options.ts", without(connection, httpLimits)],
  ["server/http/options.ts", sessions],
  ["server/http/options.ts", streams],
  ["client/http/options.ts", clientHttpLimits({})],
  ["group/options.ts", without(LIST_LIMITS, { ...groupLimits({}), ...groupTimes({}) })],
  ["upstream/options.ts", { connectTimeout }],
  ["upstream/listing.ts", without({ maxServers: 1 }, groupLimits({}))],
  ["gateway/options.ts", without(LIST_LIMITS, settingsOf({ servers: {} }).limits)],
];

/** The options that another table does not have. */
function without(others: object, all: object): object {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in others)));
}

test.each(tables)("the sentence of each option in %s says the default of the table", (file, presets) => {
  const text = readFileSync(`${root}packages/tenon/src/${file}`, "utf8");
  for (const [name, value] of Object.entries(presets)) {
    if (typeof value !== "number") continue;
    const sentences = [...text.matchAll(new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*${name}\\??: number;`, "g"))].map(
      ([, one]) => one!.replaceAll(/\s*\n\s*\* ?/g, " "),
    );
    expect(sentences, name).not.toEqual([]);
    const all = sentences.join(" ");
    expect(
      written(value).some((number) => all.includes(number)),
      `${name}: ${value}`,
    ).toBe(true);
  }
});
