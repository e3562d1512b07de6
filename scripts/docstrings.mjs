// Fails where something a user of the package sees has no docstring, or one that does not begin with its purpose in a short sentence: what the subpaths of package.json export, the types
// those name in turn, and their members (CONTRIBUTING.md, Style, says what counts). Part of `npm run lint`.
//   node scripts/docstrings.mjs [folder of the project]
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { SourceFile } from "./docstrings/source-file.mjs";
import { isBareConstructor, isConstructor, isData, isHidden, isOverload, membersOf, nameOf, typesIn } from "./docstrings/members.mjs";
import { tenon } from "./places.mjs";
import { publicEntries } from "./public-entries.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = resolve(process.argv[2] ?? tenon);
const files = new Map();
const found = [];
/** `path#name` of everything that was looked at. */
const seen = new Set();
let counted = 0;

function fileAt(path) {
  if (!files.has(path)) files.set(path, new SourceFile(path));
  return files.get(path);
}

/** Where a name that a file exports is declared: `{ file, name }`; undefined where it is another package's. */
function exportedFrom(path, name) {
  const file = fileAt(path);
  const own = file.exports.get(name);
  if (own) return own.path ? exportedFrom(own.path, own.name) : resolveIn(file, own.name);
  return file.stars.map((star) => exportedFrom(star, name)).find(Boolean);
}

/** Where a name that a file uses is declared; undefined for parameters of types, and what is not the project's. */
function resolveIn(file, name) {
  if (file.declarations.has(name)) return { file, name };
  const imported = file.imports.get(name);
  return imported && exportedFrom(imported.path, imported.name);
}

const exportedNames = (path) => [...fileAt(path).exports.keys(), ...fileAt(path).stars.flatMap(exportedNames)];

/** Whether a docstring says what something is for, and not only what it throws. */
const speaks = (doc) => doc !== undefined && doc.replace(/(?:^|\s)@(?:deprecated|param|returns|throws)\b[^]*/, "") !== "";

const isInternal = (doc) => doc?.includes("@internal") === true;

/** The types that a class or an interface extends or implements, with the files they are declared in. */
function basesOf(file, declaration) {
  const names = [...(declaration.extends ?? []), ...(declaration.implements ?? [])].map(({ expression }) => expression.name);
  return [...names, declaration.superClass?.name].flatMap((name) => {
    const at = resolveIn(file, name);
    return at === undefined ? [] : at.file.declarations.get(at.name).map(({ declaration: base }) => ({ file: at.file, base }));
  });
}

/** The names of members that have a docstring where they come from: editors show it for those that override or implement them. */
function inherited(file, declaration) {
  return basesOf(file, declaration).flatMap(({ file: at, base }) => [
    ...inherited(at, base),
    ...membersOf(base).flatMap((member) => (speaks(at.docOf(member)) && !isConstructor(member) ? [nameOf(member)] : [])),
  ]);
}

/** A docstring that says where its type comes from: `MCP schema`, `MCP 2026-07-28 …`, `RFC 8414`, `JSON-RPC 2.0`, `Standard Schema`, a model's API. */
const SOURCE =
  /\bStandard Schema\b|\bMCP schema\b|\b(?:MCP|spec) \d{4}-\d\d-\d\d\b|\bRFC \d{4}\b|\bJSON-RPC 2\.0\b|\b(?:Messages|Responses|Chat Completions|Gemini) API\b|\bAI SDK\b/;

/** Such a type may speak for the data that it names in backticks. */
const speaksFor = (doc, member) => SOURCE.test(doc ?? "") && isData(member) && doc.includes(`\`${nameOf(member)}\``);

function report(file, node, what) {
  found.push(`${relative(root, file.path)}:${file.lineOf(node)}: ${what} has no docstring`);
}

/** Two lines: what an editor shows before a reader stops reading. */
const MAX_PURPOSE = 200;

/** The first sentence of a docstring, which says what something is for. Whatever else there is to say follows it. */
const purposeOf = (doc) => doc.split(/(?<=[.:?!])\s+(?=[A-Z`{"(])|\n\s*\n|\s@/)[0];

function checkPurpose(file, node, what) {
  const doc = file.docOf(node);
  if (doc === undefined || purposeOf(doc).length <= MAX_PURPOSE) return;
  const where = `${relative(root, file.path)}:${file.lineOf(node)}`;
  found.push(`${where}: the docstring of ${what} must begin with its purpose in one sentence of at most ${MAX_PURPOSE} characters`);
}

/** Looks at the members of a declaration, and returns those that no user sees. */
function checkMembers(file, name, declaration, doc) {
  const members = membersOf(declaration);
  const hidden = new Set(members.filter((member) => isHidden(member) || isInternal(file.docOf(member))));
  const overloaded = new Set(members.filter(isOverload).map(nameOf));
  const spokenFor = new Set(inherited(file, declaration));
  for (const member of members) {
    const label = nameOf(member);
    if (hidden.has(member) || (overloaded.has(label) && !isOverload(member))) continue;
    counted++;
    const own = file.docOf(member);
    checkPurpose(file, member, `${name}.${label}`);
    const said = isConstructor(member) ? own !== undefined || isBareConstructor(member) : speaks(own) || member.override;
    if (!said && !spokenFor.has(label) && !speaksFor(doc, member)) report(file, member, `${name}.${label}`);
    if (member.kind === "get") spokenFor.add(label); // its setter is the same to a user
  }
  return hidden;
}

/** Looks at one declaration, and at all that it names. */
function check({ file, name }) {
  const id = `${file.path}#${name}`;
  if (seen.has(id)) return;
  seen.add(id);
  const all = file.declarations.get(name);
  const overloads = all.filter(({ declaration }) => declaration.type === "TSDeclareFunction");
  const declarations = overloads.length > 0 ? overloads : all;
  if (declarations.some(({ statement }) => isInternal(file.docOf(statement)))) return;
  for (const { statement, declaration } of declarations) {
    counted++;
    const doc = file.docOf(statement);
    if (!speaks(doc)) report(file, statement, name);
    checkPurpose(file, statement, name);
    const hidden = checkMembers(file, name, declaration, doc);
    for (const type of typesIn(declaration, hidden)) {
      const at = resolveIn(file, type);
      if (at) check(at);
    }
  }
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = publicEntries(exports).flatMap(([, { source }]) => (source ? [join(root, source)] : []));
const exported = entries.flatMap((entry) => exportedNames(entry).map((name) => exportedFrom(entry, name)));
for (const at of exported) if (at) check(at);

if (found.length > 0) {
  console.error(found.join("\n"));
  process.exit(1);
}
console.log(`docstrings: ${counted} names that a user sees, each with one`);
