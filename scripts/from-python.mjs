// Writes docs/moving/from-python.md from docs/moving/from-python.json (`npm run docs:from-python`). A test holds the page to the table and the
// table to what the package exports (test/project/from-python.test.ts).
//   node scripts/from-python.mjs [--print]
// A row: `python` the names of the Python documents, `tenon` what it is here or null, `is` where: `entry#Type.member`,
// `entry#Type::static` or `entry#value`, and `differs`.
import { readFileSync, writeFileSync } from "node:fs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const table = JSON.parse(readFileSync(new URL("../docs/moving/from-python.json", import.meta.url), "utf8"));
const page = new URL("../docs/moving/from-python.md", import.meta.url);

const INTRODUCTION = `---
order: 2
description: Where each class, method and option of the Python SDK is.
---

# From Python

For users of the sessions, clients and groups of the Python SDK: what each name is called here, and what differs beside the name. A server that
is written with FastMCP, with \`@mcp.tool\`, has [a page of its own](from-fastmcp.md).

A class, method, parameter or attribute that has no row has the same name here. Names of several words are written in one: \`request_id\` is
\`requestId\`. Names that begin with \`_\` are not public and have a row only if programs override them.

Made from [from-python.json](from-python.json) by \`npm run docs:from-python\`. A test compares every name with what the package exports.
`;

/** The entries a row's names come from, once each. */
function entriesOf({ is = [] }) {
  return [...new Set(is.map((name) => `\`${name.split("#")[0]}\``))].join(", ");
}

function section({ title, rows }) {
  const lines = rows.map((row) => `| ${row.python} | ${row.tenon ?? "nothing"} | ${entriesOf(row)} | ${row.differs} |`);
  return [`## ${title}`, "", "| Python | Tenon | from | differs |", "|---|---|---|---|", ...lines, ""].join("\n");
}

const text = [INTRODUCTION, ...table.map(section)].join("\n");
if (process.argv.includes("--print")) process.stdout.write(text);
else writeFileSync(page, text);
