// The API reference: what every entry of the package exports, from the declarations that the compiler emits, as Markdown
// in docs/reference/ (not committed).
//   node typedoc.mjs <folder of the declarations> <folder of the pages>
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publicEntries } from "../scripts/public-entries.mjs";
import { Application, Converter, ReflectionKind } from "typedoc";

const root = fileURLToPath(new URL("..", import.meta.url));
const [declarations, out] = process.argv.slice(2);
const { exports } = JSON.parse(readFileSync(join(root, "packages/tenon/package.json"), "utf8"));

/** Each entry by the file of its declarations: `server/index` is `server`, `extensions/index` is `ext`. The root comes last, */
/** so that a name it exports again is described with the entry that has it too. */
const entries = publicEntries(exports)
  .map(([subpath, { types }]) => [types.replace(/^\.\/dist\//, ""), subpath === "." ? "tenon" : subpath.slice(2)])
  .sort(([, a], [, b]) => Number(a === "tenon") - Number(b === "tenon"));

const COMPILER = {
  target: "es2022",
  module: "nodenext",
  lib: ["es2023", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
  skipLibCheck: true,
  strict: true,
};
const tsconfig = join(declarations, "tsconfig.json");
writeFileSync(tsconfig, JSON.stringify({ compilerOptions: COMPILER, include: ["**/*.d.ts"] }));

/** The first page: every entry with the first sentence of its source. Its declarations have lost it if an import stood below it. */
function index() {
  const rows = entries.map(([file, name]) => {
    const source = join(root, "packages/tenon/src", file.replace(/\.d\.ts$/, ".ts"));
    const [, comment = ""] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(source, "utf8")) ?? [];
    const [sentence] = comment
      .replace(/\s*\*?\s+/g, " ")
      .trim()
      .split(/(?<=\.) /);
    const entry = name === "tenon" ? name : `tenon/${name}`;
    const text = sentence.replace(/^`[^`]*`: /, "");
    return `| [\`${entry}\`](./${name}/index.md) | ${text.charAt(0).toUpperCase()}${text.slice(1)} |`;
  });
  const text =
    "Every name that the package exports, by the entry it is imported from. A name that several entries export is described once.";
  return `# API reference\n\n${text}\n\n| entry | |\n|---|---|\n${rows.join("\n")}\n`;
}

const app = await Application.bootstrapWithPlugins({
  entryPoints: entries.map(([file]) => join(declarations, file)),
  tsconfig,
  outputs: [{ name: "markdown", path: out }],
  plugin: ["typedoc-plugin-markdown"],
  readme: "none",
  excludeInternal: true,
  disableSources: true,
  sort: ["source-order"],
  validation: { notExported: false },
  logLevel: "Error",
  // typedoc-plugin-markdown
  entryFileName: "index",
  outputFileStrategy: "members",
  membersWithOwnFile: ["Class", "Function", "Interface"],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
  pageTitleTemplates: {
    index: "Reference",
    module: ({ name }) => (name === "tenon" ? "tenon" : `tenon/${name}`),
    member: ({ name }) => name,
  },
});
const names = new Map(entries.map(([file, name]) => [file.replace(/\/?index\.d\.ts$/, "") || "index", name]));
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) module.name = names.get(module.name) ?? module.name;
});
const project = await app.convert();
if (project === undefined) process.exit(1);
await app.generateOutputs(project);
writeFileSync(join(out, "index.md"), index());
process.exit(app.logger.hasErrors() ? 1 : 0);
