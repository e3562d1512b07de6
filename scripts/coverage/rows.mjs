// The lists of rows that tests name: the checklist, the requirements of the specification, the faults, the security rules, the field.
//
// Each list is committed with the sentence of every row (test/coverage/rows/), so that an id in a test title can be looked up. The
// documents that the lists come from lie beside a checkout of the maintainers (`../shared`): where they are there, the lists
// are compared with them, and `node scripts/coverage.mjs --update` writes the lists anew.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Each list: the document it comes from, if there is one, how its rows are read there, and the file with the reasons of rows that do not apply here. */
export const LISTS = {
  checklist: { document: "seeds/checklist.md", read: checklistRows, reasons: "packages/tenon/test/coverage/not-portable.json" },
  requirements: { document: "spec/requirements.md", read: requirementRows, reasons: "packages/tenon/test/coverage/not-required.json" },
  faults: { document: "design/security.md", read: faultRows },
  rules: { document: "design/security.md", read: ruleRows },
  field: {}, // from no document: its rows are written by hand
};

/** What a title calls a row of a list whose ids another list has too: `requirement S1`. */
export const LIST_NAMES = { requirement: "requirements", fault: "faults", rule: "rules" };

const pathOf = (root, list) => join(root, `packages/tenon/test/coverage/rows/${list}.md`);

/** The committed rows of a list: a map of ids to sentences. Empty where the list is not there. */
export function committedRows(root, list) {
  const path = pathOf(root, list);
  if (!existsSync(path)) return new Map();
  return new Map([...readFileSync(path, "utf8").matchAll(/^- (\S+) (.*)$/gm)].map(([, id, sentence]) => [id, sentence]));
}

/** The rows of a list as its document has them, or undefined without the document. */
function documentRows(shared, list) {
  if (LISTS[list].document === undefined) return undefined;
  const path = join(shared, LISTS[list].document);
  return existsSync(path) ? new Map(LISTS[list].read(readFileSync(path, "utf8"))) : undefined;
}

/** How the committed list differs from its document, where that can be read. */
export function differences(root, shared, list) {
  const theirs = documentRows(shared, list);
  if (theirs === undefined) return [];
  const ours = committedRows(root, list);
  const file = `packages/tenon/test/coverage/rows/${list}.md`;
  return [
    ...[...theirs].filter(([id]) => !ours.has(id)).map(([id]) => `${file} lacks ${id}`),
    ...[...ours].filter(([id]) => !theirs.has(id)).map(([id]) => `${file} has ${id}, which is no row`),
    ...[...theirs]
      .filter(([id, text]) => ours.has(id) && ours.get(id) !== text)
      .map(([id]) => `${file}: the sentence of ${id} has changed`),
  ];
}

/** Writes a list anew from its document. */
export function updateRows(root, shared, list) {
  const rows = documentRows(shared, list);
  if (rows === undefined) throw new Error(`${join(shared, LISTS[list].document)} is not there`);
  const path = pathOf(root, list);
  mkdirSync(dirname(path), { recursive: true });
  const head = `# Rows: ${list}\n\nTest titles name these rows by id, at the end, in brackets. Written by \`node scripts/coverage.mjs --update\`.\n`;
  writeFileSync(path, `${head}\n${[...rows].map(([id, sentence]) => `- ${id} ${sentence}`).join("\n")}\n`);
}

/** The rows that do not apply here, with the reason of each. */
export function reasonsOf(root, list) {
  const file = LISTS[list].reasons;
  return file === undefined ? {} : JSON.parse(readFileSync(join(root, file), "utf8"));
}

/** The rows of parts of Tenon that are not built yet: a map of ids to the part. */
export function waitingRows(root, list) {
  const path = join(root, WAITING);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8"))[list] ?? {}) : {};
}

/** Names for each list the rows that wait, and the part that each waits for. */
export const WAITING = "packages/tenon/test/coverage/waiting.json";

function checklistRows(document) {
  return [...document.matchAll(/^\| ([A-Z]{2}-\d+) \|(.*)\|$/gm)].map(([, id, cells]) => [id, sentence(cells)]);
}

function requirementRows(document) {
  const rows = [...document.matchAll(/^- ([A-Z](?:\.\d+|\d+(?:\.\d+)?)) (.*)$/gm)].map(([, id, text]) => [id, text.trim()]);
  const rulings = document.slice(document.indexOf("\n# Z."));
  return [...rows, ...[...rulings.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number, text]) => [`Z${number}`, text.trim()])];
}

function faultRows(document) {
  const parts = document.split(/^(?=##? )/m).filter((part) => /^## b\.\d+/.test(part));
  return parts.flatMap((part) => [...part.matchAll(/^\| ([A-Z]-?\d+) \|(.*)\|$/gm)].map(([, id, cells]) => [id, sentence(cells)]));
}

function ruleRows(document) {
  return [...document.matchAll(/^\| \*\*(R\d+)\*\* (.*)\|$/gm)].map(([, id, cells]) => [id, sentence(cells)]);
}

/** What a row of a table is about, and, from its further cells, what must hold. The last cell of the checklist is the ruling. */
function sentence(cells) {
  const [subject, ...rest] = cells.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const outcome = rest.filter((cell) => cell !== "").at(rest.length > 2 ? -1 : 0);
  return outcome === undefined ? subject : `${subject}: ${outcome}`;
}
