// The page "Works with", made of the results and of the names in field.json.
import { explained, openOf } from "./differences.mjs";
import { languagesSection } from "../languages/section.mjs";
import { agreeing, columnsOf } from "./table.mjs";

const escaped = (text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{", "&#123;");
const tableOf = (head, rows) =>
  [`| ${head.join(" | ")} |`, `|${head.map(() => "---").join("|")}|`, ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");

/** The reasons of all rows, each once, with the number that the tables name it by. */
function numbered(rows) {
  const reasons = new Set(rows.flatMap((row) => explained(row).flatMap(({ reason }) => reason ?? [])));
  return new Map([...reasons].map((reason, index) => [reason, index + 1]));
}

/** "same", or the numbers of what is explained, or that something is not. */
function cellOf(row, column, numbers) {
  const found = explained(row).filter((one) => one.column === column);
  if (found.length === 0) return "same";
  if (found.some(({ reason }) => reason === undefined)) return "**differs**";
  const used = [...new Set(found.map(({ reason }) => numbers.get(reason)))].sort((first, second) => first - second);
  return used.map((number) => `[${number}](#differences)`).join(" ");
}

const offers = ({ counts }) => `${counts.tools ?? 0} / ${counts.resources ?? 0} / ${counts.prompts ?? 0}`;

function serversTable(servers, numbers) {
  const columns = columnsOf({});
  const rows = servers.map((row) => {
    const about = [`${row.name} ${row.version}`, row.sdk, row.revision ?? "–", offers(row)];
    return [...about, ...columns.map((column) => cellOf(row, column, numbers))];
  });
  return tableOf(["server", "built with", "revision", "tools / resources / prompts", ...columns], rows);
}

function clientsTable(clients, numbers) {
  const cell = (row, over) => (row.over.includes(over) ? cellOf(row, over, numbers) : "–");
  const rows = clients.map((row) => [`${row.name} ${row.version}`, cell(row, "stdio"), cell(row, "http")]);
  return tableOf(["client", "stdio", "HTTP"], rows);
}

const daysOf = (rows) => {
  const days = [...new Set(rows.map(({ date }) => date))].sort();
  return days.length < 2 ? days.join("") : `${days[0]} to ${days.at(-1)}`;
};

function openDifferences(rows) {
  const open = rows.flatMap((row) => openOf(row).map((found) => ({ name: row.name, ...found })));
  if (open.length === 0) return "";
  const lines = open.map(({ name, at, official, tenon }) => [name, at, official, tenon].map(escaped));
  return `\n## Not explained\n\n${tableOf(["name", "where", "official", "Tenon"], lines)}\n`;
}

/** The text of the page. @param languages what works-with-languages.json holds */
export function asPage({ tenon, machine, servers, clients }, { leftOut }, languages) {
  const all = [...servers, ...clients];
  const numbers = numbered(all);
  const count = (member) => servers.reduce((sum, one) => sum + (member(one) ?? 0), 0);
  const reasons = [...numbers].map(([reason, number]) => `${number}. ${escaped(reason)}`).join("\n");
  const left = tableOf(
    ["name", "why"],
    Object.entries(leftOut).map(([name, why]) => [name, escaped(why)]),
  );
  return `---
order: 4
description: Real servers and real clients that Tenon was tried with, which versions, and what differs from the official SDK.
---

# Works with

Written by \`npm run field -- --page\`, which installs what is named here and compares it: ${daysOf(all)}, Tenon ${tenon}, ${machine}. Nothing on this page is
written by hand.

- **${agreeing(servers)} of ${servers.length} servers** work with Tenon's client as with the official client 1.x, or differ for a reason below. They list
  ${count(({ counts }) => counts.tools)} tools, ${count(({ counts }) => counts.resources)} resources and ${count(({ counts }) => counts.prompts)} prompts, and were asked ${count(({ asked }) => asked)} questions.
- **${agreeing(clients)} of ${clients.length} clients** work with a server of Tenon as with the same server of the official SDK 1.x, or differ for a reason below.

## Servers

Each server is started by the official client and by Tenon's, and asked the same. "Same" means that each member of what came back has the same value.

- *start*: its name, capabilities and instructions. *lists*: all pages of all lists.
- *calls*: some tools that need no account, a tool without its arguments, two resources, two prompts. *errors*: a tool, a resource and a prompt that it does
  not have.
- *end*: nothing runs on when the client has closed.
- *gateway*: all of that with the official client behind \`tenon gateway\`. *command*: \`tenon list\` shows what the official client lists, and \`tenon doctor\` finds
  nothing.

${serversTable(servers, numbers)}

## Clients

Each client connects to a server of Tenon and to the same server of the official SDK, lists 12 tools, and calls some: text, a picture, structured content,
nested and optional arguments, a tool that fails, arguments that are wrong, a tool that is not there.

${clientsTable(clients, numbers)}

## Differences

${reasons}
${openDifferences(all)}
${languagesSection(languages)}
## Left out

${left}
`;
}
