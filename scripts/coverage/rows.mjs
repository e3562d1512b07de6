// The lists of ids that tests must name, and what is said about a row without a test. Beside `scripts/coverage.mjs`.
//
// The checklist's ids are committed (test/coverage/checklist-ids.json); the documents they come from lie next to a checkout of the
// maintainers (`../shared`) and nowhere else. Where they are there the list is compared with them; the requirements and the
// fault table are read from there alone.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CHECKLIST = "seeds/checklist.md";
const REQUIREMENTS = "spec/requirements.md";
const FAULTS = "design/security.md";

/** The committed ids of the checklist by section, compared with the document where that can be read. */
export function checklistRows(root, shared) {
  const lists = Object.entries(readJson(join(root, "test/coverage/checklist-ids.json")));
  const sections = Object.fromEntries(lists.map(([section, ids]) => [section, ids.split(" ")]));
  const document = textOf(shared, CHECKLIST);
  const problems = document === undefined ? [] : differences(Object.values(sections).flat(), checklistIds(document));
  return { sections, problems };
}

/** `{ id: reason }` of the rows that do not apply here; a reason for a row that does not exist is a problem. */
export function notPortable(root, ids, file = "test/coverage/not-portable.json") {
  const reasons = readJson(join(root, file));
  const problems = Object.entries(reasons).flatMap(([id, reason]) => {
    if (!ids.includes(id)) return [`${file}: ${id} is no row`];
    return typeof reason === "string" && reason.length > 20 ? [] : [`${file}: ${id} needs a reason`];
  });
  return { file, reasons, problems };
}

/** The requirements by section (`A1`, `C`, `Z`), or undefined without the document. */
export function requirementRows(shared) {
  const document = textOf(shared, REQUIREMENTS);
  if (document === undefined) return undefined;
  const ids = [...document.matchAll(/^- ([A-Z](?:\.\d+|\d+(?:\.\d+)?)) /gm)].map((match) => match[1]);
  const rulings = [...document.slice(document.indexOf("\n# Z.")).matchAll(/^(\d+)\. /gm)].map((match) => `Z${match[1]}`);
  return { sections: bySection([...ids, ...rulings], (id) => /^[A-Z](?:\d+(?=\.))?/.exec(id)[0]), problems: [] };
}

/** The rows of the fault table by section (`b.1` … `b.13`), or undefined without the document. */
export function faultRows(shared) {
  const document = textOf(shared, FAULTS);
  if (document === undefined) return undefined;
  const sections = {};
  for (const part of document.split(/^(?=##? )/m)) {
    const section = /^## (b\.\d+)/.exec(part)?.[1];
    if (section !== undefined) sections[section] = [...part.matchAll(/^\| ([A-Z]-?\d+) \|/gm)].map((match) => match[1]);
  }
  return { sections, problems: [] };
}

function checklistIds(document) {
  return [...document.matchAll(/^\| ([A-Z]{2}-\d+) \|/gm)].map((match) => match[1]);
}

function differences(ours, theirs) {
  return [
    ...theirs.filter((id) => !ours.includes(id)).map((id) => `test/coverage/checklist-ids.json lacks ${id}`),
    ...ours.filter((id) => !theirs.includes(id)).map((id) => `test/coverage/checklist-ids.json has ${id}, which is no row`),
    ...ours.filter((id, index) => ours.indexOf(id) !== index).map((id) => `test/coverage/checklist-ids.json has ${id} twice`),
  ];
}

function bySection(ids, sectionOf) {
  const sections = {};
  for (const id of ids) (sections[sectionOf(id)] ??= []).push(id);
  return sections;
}

function textOf(shared, name) {
  const path = join(shared, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}
