// One file of `src/` as the check of docstrings sees it: what it declares, exports and imports, and which comment stands
// before a node. Parsed by rolldown, which builds the package too.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "rolldown/utils";

/** The statement that declares, without the `export` around it. */
const declared = (statement) => (statement.type === "ExportNamedDeclaration" ? statement.declaration : statement);

/** The names that a pattern declares: `a`, `[a, b = 1]`, `{ a, b: [c], ...rest }`. */
function namesIn(pattern) {
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "ArrayPattern") return pattern.elements.flatMap((element) => (element === null ? [] : namesIn(element)));
  if (pattern.type === "ObjectPattern") return pattern.properties.flatMap((property) => namesIn(property.value ?? property));
  return namesIn(pattern.left ?? pattern.argument);
}

/** Names a statement declares. A `const` may declare several. */
function namesOf(declaration) {
  if (declaration?.type === "VariableDeclaration") return declaration.declarations.flatMap(({ id }) => namesIn(id));
  return declaration?.id ? [declaration.id.name] : [];
}

/** A file's text and syntax; `path` is absolute. @throws Error for a file that is not TypeScript */
export class SourceFile {
  /** Name → its declarations, in order: overloads are several. Each is `{ statement, declaration }`. */
  declarations = new Map();
  /** Local name → `{ path, name }` of what is imported from another file of the project. */
  imports = new Map();
  /** Exported name → `{ path?, name }`; without `path` it is declared here. */
  exports = new Map();
  /** Files all of whose exports are exported. */
  stars = [];
  #docs = new Map();
  #lines;

  constructor(path) {
    this.path = path;
    this.text = readFileSync(path, "utf8");
    const { program, comments, errors } = parseSync(path, this.text);
    if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
    this.comments = comments;
    for (const comment of comments) this.#keepDoc(comment);
    for (const statement of program.body) this.#read(statement);
  }

  #keepDoc({ type, value, end }) {
    if (type !== "Block" || !value.startsWith("*")) return;
    const [between] = /^(?:\s|\/\/.*)*/.exec(this.text.slice(end)); // remarks for the linter may stand there
    const next = end + between.length;
    this.#docs.set(next, value.replace(/^\s*\*+ ?/gm, "").trim());
  }

  #read(statement) {
    const from = statement.source?.value;
    const path = from?.startsWith(".") ? join(dirname(this.path), from) : undefined;
    if (statement.type === "ImportDeclaration") {
      if (path) for (const { local, imported } of statement.specifiers) this.imports.set(local.name, { path, name: imported?.name });
    } else if (statement.type === "ExportAllDeclaration") {
      if (path) this.stars.push(path);
    } else if (statement.type === "ExportNamedDeclaration" && !statement.declaration) {
      for (const { local, exported } of statement.specifiers) this.exports.set(exported.name, { path, name: local.name });
    } else {
      this.#declare(statement);
    }
  }

  #declare(statement) {
    const declaration = declared(statement);
    for (const name of namesOf(declaration)) {
      this.declarations.set(name, [...(this.declarations.get(name) ?? []), { statement, declaration }]);
      if (declaration !== statement) this.exports.set(name, { name });
    }
  }

  /** The text of the docstring before a node; undefined where there is none, "" where it is empty. */
  docOf(node) {
    return this.#docs.get(node.start);
  }

  lineOf(node) {
    this.#lines ??= [...this.text.matchAll(/\n/g)].map(({ index }) => index);
    return this.#lines.filter((end) => end < node.start).length + 1;
  }
}
