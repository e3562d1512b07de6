// What runs came to: docs/project/works-with.json, one row a server and a client with the day of its run, and the page that is
// made of it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { asPage } from "./page.mjs";
import { field, rows } from "./rows.mjs";

const folder = fileURLToPath(new URL("../../docs/project/", import.meta.url));
const file = `${folder}works-with.json`;
const languages = `${folder}works-with-languages.json`;

const earlier = () => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { servers: [], clients: [] });

/** The rows of field.json in its order: those of this run, and the others as they were, if their version is still asked for. */
function merged(kind, found, date) {
  const known = [...found[kind].map((one) => ({ date, ...one })), ...earlier()[kind]];
  const wanted = rows.filter((row) => row.kind === kind);
  return wanted.flatMap(({ name, version }) => known.find((one) => one.name === name && one.version === version) ?? []);
}

/** Keeps the rows of a run, and writes the page. Reasons are not kept: the page has those of explained.json as it is. */
export function keep(found) {
  const date = new Date().toISOString().slice(0, 10);
  const { version } = JSON.parse(readFileSync(new URL("../../packages/tenon/package.json", import.meta.url), "utf8"));
  const machine = `${availableParallelism()} cores, Node ${process.versions.node}`;
  const results = {
    date,
    tenon: version,
    machine,
    servers: merged("servers", found, date),
    clients: merged("clients", found, date),
  };
  writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
  writePage();
}

/** Writes the page of the results that are kept: those of the field, and those of the SDKs of other languages. */
export function writePage() {
  writeFileSync(`${folder}works-with.md`, asPage(earlier(), field, JSON.parse(readFileSync(languages, "utf8"))));
}
