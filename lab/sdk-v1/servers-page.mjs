// What the comparison came to: docs/project/moved-servers.json, one row a server, and the page that is made of it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../docs/project/", import.meta.url));
const file = `${folder}moved-servers.json`;

const { explained, leftOut } = JSON.parse(readFileSync(new URL("servers.json", import.meta.url), "utf8"));
const quoted = (text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
const matches = (pattern, text) => new RegExp(`^${pattern.split("*").map(quoted).join(".*")}$`, "s").test(text);

/** Why a difference is right as it is; undefined if servers.json does not say. `*` stands for any text. */
const reasonOf = ({ name }, { column, at }) =>
  explained.find((one) => matches(one.name, name) && matches(one.at, `${column} ${at}`))?.reason;

/** The differences of a row that have no reason. */
export const openOf = (row) => row.differences.filter((one) => reasonOf(row, one) === undefined);

const tableOf = (head, lines) =>
  [`| ${head.join(" | ")} |`, `|${head.map(() => "---").join("|")}|`, ...lines.map((line) => `| ${line.join(" | ")} |`)].join(
    "\n",
  );

function cellOf(row, column, numbers) {
  const found = row.differences.filter((one) => one.column === column);
  if (found.length === 0) return "same";
  const reasons = found.map((one) => reasonOf(row, one));
  if (reasons.includes(undefined)) return "**differs**";
  return [...new Set(reasons)].map((reason) => `[${numbers.get(reason)}](#differences)`).join(" ");
}

/** The text of the page. */
function asPage(rows) {
  const reasons = new Set(rows.flatMap((row) => row.differences.flatMap((one) => reasonOf(row, one) ?? [])));
  const numbers = new Map([...reasons].map((reason, index) => [reason, index + 1]));
  const columns = ["start", "lists", "calls", "errors", "tenon", "second"];
  const lines = rows.map((row) => [
    `${row.name} ${row.version}`,
    row.sdk,
    String(row.tools),
    String(row.asked),
    ...columns.map((column) => cellOf(row, column, numbers)),
  ]);
  const same = rows.filter((row) => openOf(row).length === 0).length;
  const asked = rows.reduce((sum, row) => sum + row.asked, 0);
  const newest = rows.filter((row) => row.newest.tenon !== undefined && row.newest.second !== undefined).length;
  return `---
order: 5
description: Real servers of the official SDK 1.x, unchanged, on the SDK and on Tenon, and what differs.
---

# Servers that were moved

Written by \`npm run sdk-v1:servers -- --page\`, which installs what is named here and compares it. Nothing on this page is written by hand.

**${same} of ${rows.length} servers** answer on [\`tenon-sdk-v1\`](../moving/sdk-v1.md) as on the SDK that they were published with, or differ for a reason
below, in ${asked} requests of the official client 1.x. ${newest} of them speak 2026-07-28 with Tenon's client and with the official client 2.x.

- *SDK*: the version that the server has, in whose place the layer stood. *requests*: the start, all lists, calls of tools that need no account, resources, prompts,
  and what the server does not have.
- *start*, *lists*, *calls*, *errors*: compared member by member. What two runs of the original do not have in common is left out.
- *Tenon's client*, *client 2.x*: on 2026-07-28 a list, a call and an error, compared with what the same server answers on its older revision.

${tableOf(["server", "SDK", "tools", "requests", "start", "lists", "calls", "errors", "Tenon's client", "client 2.x"], lines)}

## Differences

${[...numbers].map(([reason, number]) => `${number}. ${reason}`).join("\n") || "None."}

## Left out

${tableOf(["server", "why"], Object.entries(leftOut))}
`;
}

/** Keeps a row, in the order of servers.json, and writes the page. */
export function keep(found, wanted) {
  const earlier = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const known = [found, ...earlier];
  const rows = wanted.flatMap(({ name, version }) => known.find((one) => one.name === name && one.version === version) ?? []);
  writeFileSync(file, `${JSON.stringify(rows, undefined, 1)}\n`);
  writeFileSync(`${folder}moved-servers.md`, asPage(rows));
}
