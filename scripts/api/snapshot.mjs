// The public API as text: for each subpath the declarations that it exports, without comments, sorted by name. What a change of the
// API changes is a line of it. Made from the declarations of the build, which hold nothing that is internal.
//
// A name that several subpaths export is declared in the one whose folder has it. Types that public ones name, and that nothing
// exports, stand in a file of their own: a change of them changes what users see, too.
import { dirname } from "node:path";
import { SourceFile } from "../docstrings/source-file.mjs";

/** The file of types that nothing exports. */
export const UNNAMED = "unnamed";

/** `{ texts, faults }`: texts by the names of their files without an ending, and sentences about names that mean two things. */
export function snapshotOf(subpaths) {
  const declarations = new Declarations();
  const exported = subpaths.flatMap(({ subpath, types }) => declarations.exportsOf(types).map((each) => ({ subpath, ...each })));
  const homes = homesOf(exported, subpaths);
  const texts = new Map();
  for (const { subpath } of subpaths) {
    const own = exported.filter((each) => each.subpath === subpath);
    const here = own.filter(({ id }) => homes.get(id) === subpath);
    const elsewhere = own.filter(({ id }) => homes.get(id) !== subpath);
    texts.set(
      fileNameOf(subpath),
      [headOf(subpath), ...reExports(elsewhere, homes), ...here.map((each) => declarationOf(declarations, each))].join("\n"),
    );
  }
  const unnamed = declarations.namedBy([...homes.keys()]).filter((id) => !homes.has(id));
  const rest = unnamed.map((id) => declarations.textOf(id)).toSorted(compare);
  texts.set(UNNAMED, ["// Types that public ones name, and that no subpath exports.\n", ...rest].join("\n"));
  return { texts, faults: ambiguous(exported) };
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** `tenon/ext/apps/host` is in `ext-apps-host`, `tenon` in `tenon`. */
export const fileNameOf = (subpath) => subpath.replace(/^tenon\//, "").replaceAll("/", "-");

const headOf = (subpath) => `// What ${subpath} exports. Made by: npm run api -- --update\n`;

/** The subpath that each declaration belongs to: the one whose folder has it, else the first that exports it. */
function homesOf(exported, subpaths) {
  const folders = new Map(subpaths.map(({ subpath, types }) => [subpath, `${dirname(types)}/`]));
  const homes = new Map();
  for (const { id, subpath } of exported) {
    const depth = (name) => (name !== undefined && id.startsWith(folders.get(name)) ? folders.get(name).length : 0);
    const before = homes.get(id);
    if (before === undefined || depth(subpath) > depth(before)) homes.set(id, subpath);
  }
  return homes;
}

function reExports(elsewhere, homes) {
  const bySubpath = new Map();
  for (const { name, id } of elsewhere) bySubpath.set(homes.get(id), [...(bySubpath.get(homes.get(id)) ?? []), name]);
  return [...bySubpath]
    .toSorted(([a], [b]) => compare(a, b))
    .map(([subpath, names]) => `${names.map((name) => `export { ${name} } from "${subpath}";`).join("\n")}\n`);
}

function declarationOf(declarations, { id, name }) {
  const declared = nameIn(id);
  return `${declarations.textOf(id)}${declared === name ? "" : `export { ${declared} as ${name} };\n`}`;
}

/** Names that two subpaths export, each another thing. */
function ambiguous(exported) {
  const meanings = new Map();
  for (const { name, id, subpath } of exported) {
    const known = meanings.get(name) ?? new Map();
    meanings.set(name, known.set(id, known.get(id) ?? subpath));
  }
  return [...meanings]
    .filter(([, ids]) => ids.size > 1)
    .map(([name, ids]) => `${name} means different things in ${[...ids.values()].join(" and ")}: give each a name of its own`);
}

const nameIn = (id) => id.slice(id.indexOf("#") + 1);

/** The declarations of a build. An id is `path#name`. */
class Declarations {
  #files = new Map();

  /** `{ name, id }` of what a file exports, sorted by name. Names of other packages are left out. */
  exportsOf(path) {
    const names = new Set(this.#namesIn(path));
    return [...names]
      .map((name) => ({ name, id: this.#exportedFrom(path, name) }))
      .filter(({ id }) => id !== undefined)
      .toSorted((a, b) => compare(a.name, b.name));
  }

  /** The ids that some declarations name, those in turn, and so on. */
  namedBy(ids) {
    const found = new Set();
    const add = (id) => {
      if (found.has(id)) return;
      found.add(id);
      const file = this.#fileOf(id);
      for (const { declaration } of file.declarations.get(nameIn(id)) ?? [])
        for (const name of namesIn(declaration)) {
          const named = this.#resolve(file, name);
          if (named !== undefined) add(named);
        }
    };
    for (const id of ids) add(id);
    return [...found];
  }

  /** A declaration without its comments; overloads stand below each other. */
  textOf(id) {
    const file = this.#fileOf(id);
    return file.declarations
      .get(nameIn(id))
      .map(({ statement }) => withoutComments(file, statement))
      .join("");
  }

  #namesIn(path) {
    const file = this.#file(path);
    return [...file.exports.keys(), ...file.stars.flatMap((star) => this.#namesIn(star))];
  }

  #exportedFrom(path, name) {
    const file = this.#file(path);
    const own = file.exports.get(name);
    if (own) return own.path ? this.#exportedFrom(own.path, own.name) : this.#resolve(file, own.name);
    return file.stars.map((star) => this.#exportedFrom(star, name)).find(Boolean);
  }

  /** The id of a name that a file uses: `Name`, or `space.Name` for what was imported as a whole. */
  #resolve(file, name) {
    const [first, member] = name.split(".");
    if (file.declarations.has(first)) return `${file.path}#${first}`;
    const imported = file.imports.get(first);
    if (imported === undefined) return undefined;
    const wanted = imported.name ?? member;
    return wanted === undefined ? undefined : this.#exportedFrom(imported.path, wanted);
  }

  #fileOf(id) {
    return this.#file(id.slice(0, id.indexOf("#")));
  }

  /** Declarations name each other as the sources did: `./tool.ts` is `tool.d.ts` here. */
  #file(path) {
    const declared = path.replace(/(?<!\.d)\.ts$|\.js$/, ".d.ts");
    if (!this.#files.has(declared)) this.#files.set(declared, new SourceFile(declared));
    return this.#files.get(declared);
  }
}

function* namesIn(node) {
  if (Array.isArray(node)) for (const child of node) yield* namesIn(child);
  if (typeof node?.type !== "string") return;
  const name = referredTo(node);
  if (name !== undefined) yield name;
  for (const child of Object.values(node)) if (typeof child === "object") yield* namesIn(child);
}

const dotted = (node) => (node?.type === "TSQualifiedName" ? `${dotted(node.left)}.${node.right.name}` : node?.name);

function referredTo(node) {
  if (node.type === "TSTypeReference") return dotted(node.typeName);
  if (node.type === "TSTypeQuery") return dotted(node.exprName);
  if (node.type === "TSInterfaceHeritage" || node.type === "TSClassImplements") return node.expression.name;
  return node.type === "ClassDeclaration" ? node.superClass?.name : undefined;
}

function withoutComments(file, { start, end }) {
  const comments = file.comments.filter((comment) => comment.start >= start && comment.end <= end);
  let text = "";
  let from = start;
  for (const comment of comments) {
    text += file.text.slice(from, comment.start);
    from = comment.end;
  }
  text += file.text.slice(from, end);
  const lines = text.split("\n").filter((line) => line.trim() !== "" && line.trim() !== "#private;");
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** What changed in one file of a snapshot: `-` and `+` lines, a few of them. */
export function differenceOf(before, after, most = 12) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const gone = old.filter((line) => !now.includes(line)).map((line) => `  - ${line}`);
  const come = now.filter((line) => !old.includes(line)).map((line) => `  + ${line}`);
  const lines = [...gone, ...come];
  return [...lines.slice(0, most), ...(lines.length > most ? [`  and ${lines.length - most} more lines`] : [])].join("\n");
}
