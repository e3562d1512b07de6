// Makes docs/project/features.md from features.json and from what is there: a mark of Tenon is ● if its test and its names exist.
// A row that says what Tenon has not names the words by which it would be known, so that a feature cannot be built and stay ○.
//   node scripts/features.mjs   writes the page
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const data = join(root, "docs/project/features.json");
const page = join(root, "docs/project/features.md");
const read = (path) => readFileSync(join(root, path), "utf8");

/** Everything that a user can name: `tenon/state state` for each export, `command init` for each command. */
export function publicNames() {
  const names = new Set();
  for (const file of readdirSync(join(root, "api")).filter((name) => name.endsWith(".d.ts"))) {
    const [entry = ""] = /tenon[\w/-]*/.exec(read(`api/${file}`).split("\n")[0] ?? "") ?? [];
    const exported = /^export (?:declare )?(?:async )?(?:abstract )?(?:function|class|const|interface|type|\{) (\w+)/gm;
    for (const [, name] of read(`api/${file}`).matchAll(exported)) names.add(`${entry} ${name}`);
  }
  const commands = read("packages/tenon-cli/src/command-line.ts").matchAll(/^ {4,}(\w+)(?:: \w+)?,$/gm);
  for (const [, name] of commands) names.add(`command ${name}`);
  return names;
}

/** Whether a file has a test, or a group of tests, with that title. Ids at the end of a title do not count. */
export function hasTest([file, title]) {
  if (!existsSync(join(root, file))) return false;
  const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`\\(\\s*["\`]${quoted}(?: \\[[^\\]]*\\])?["\`],`).test(read(file));
}

/** The mark of Tenon in a row. Throws if what the row says is not so. */
function markOf(row, names) {
  const { feature, test, part, absent = [] } = row;
  const known = [...names].map((name) => name.toLowerCase());
  const built = absent.filter((word) => known.some((name) => name.includes(word)));
  if (built.length > 0) throw new Error(`"${feature}" is marked absent, but there is ${built.join(", ")}`);
  if (test === undefined && absent.length === 0) throw new Error(`"${feature}" needs a test, or the words of "absent"`);
  if (test === undefined) return "○";
  if (!hasTest(test)) throw new Error(`"${feature}": ${test[0]} has no test "${test[1]}"`);
  const missing = (row.names ?? []).filter((name) => !names.has(name));
  if (missing.length > 0) throw new Error(`"${feature}": nothing exports ${missing.join(", ")}`);
  const title = part === undefined ? test[1] : `${test[1]}. Not yet: ${part}`;
  return `[${part === undefined ? "●" : "◐"}](../../${test[0]} "${title}")`;
}

const HEAD =
  "| feature | Tenon | TS | Python | FastMCP | FastMCP-TS | fastmcp | mcp-use | tmcp | xmcp | C# | gateways |\n|---|---|---|---|---|---|---|---|---|---|---|---|";

export const readFeatures = () => JSON.parse(readFileSync(data, "utf8"));

/** The text of the page. */
export function featuresPage() {
  const { intro, sections } = readFeatures();
  const names = publicNames();
  const row = (each) => `| ${each.feature} | ${markOf(each, names)} | ${each.others.split(" ").join(" | ")} |`;
  const tables = sections.map(({ title, rows }) => `## ${title}\n\n${HEAD}\n${rows.map(row).join("\n")}\n`);
  return `${intro.join("\n")}\n\n${tables.join("\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, featuresPage());
