/**
 * Writes the server of a document as a program: one `tool()` for each operation, with its schema, that the user can edit.
 *
 * The text of the document ends up in source code, so it is written as JSON only, and names become identifiers.
 */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import type { OpenApi } from "tenon/openapi";
import { escapeInvisible } from "tenon/internal";
import { UsageError } from "../../failure.ts";
import type { OptionValues } from "../../invocation.ts";
import { credentialsIn, filterIn, isUrl } from "./typed-options.ts";

export interface ServerSource {
  readonly api: OpenApi;
  /** The folder at which relative paths begin. */
  readonly cwd: string;
  readonly source: string;
  readonly values: OptionValues;
  readonly hasReferences: boolean;
}

/** @throws UsageError if the file exists */
export async function writeServer(file: string, from: ServerSource): Promise<void> {
  if (!/\.[mc]?ts$/.test(file))
    throw new UsageError(`--write makes a TypeScript file: name one that ends in .ts, not ${JSON.stringify(file)}.`);
  const path = resolve(from.cwd, file);
  if (existsSync(path)) throw new UsageError(`${file} exists already: delete it first, or write to another file.`);
  await writeFile(path, escapeInvisible(programOf(path, from)));
}

function programOf(file: string, { api, cwd, source, values, hasReferences }: ServerSource): string {
  const names = identifiersOf(Object.keys(api.tools));
  const isFile = !isUrl(source);
  const path = relative(dirname(file), resolve(cwd, source)).split(sep).join("/");
  const document = isFile ? 'await readFile(file, "utf8")' : literal(source);
  const tools = Object.keys(api.tools).map((name) => toolText(name, names.get(name)!, api));
  const entries = [...names].map(([name, identifier]) => (name === identifier ? `  ${name},` : `  [${literal(name)}]: ${identifier},`));
  return `${isFile ? 'import { readFile } from "node:fs/promises";\n' : ""}import { fromOpenApi } from ${literal("tenon/openapi")};
import { McpServer, tool } from ${literal("tenon/server")};

${isFile ? `const file = new URL(${literal(path)}, import.meta.url);\n` : ""}const api = await fromOpenApi(${document}, ${optionsText(values, hasReferences)});

${tools.join("\n\n")}

const tools = {
${entries.join("\n")}
};

export const server = new McpServer(${literal({ name: api.info.title, version: api.info.version })}, { tools });
`;
}

/** Files that the document refers to, from its folder and below only. */
const REFERENCES = '  resolve: (url) => (url.href.startsWith(new URL("./", file).href) ? readFile(url, "utf8") : undefined),';

/** The options as source: credentials stay in the environment. */
function optionsText(values: OptionValues, hasReferences: boolean): string {
  const filter = filterIn(values.include);
  const auth = credentialsIn(values.auth).map(({ scheme, variable }) => `[${literal(scheme)}]: process.env[${literal(variable)}] ?? ""`);
  const lines = [
    ...(filter === undefined ? [] : [`  include: ${literal(filter)},`]),
    ...(values["base-url"] === undefined ? [] : [`  baseUrl: ${literal(values["base-url"])},`]),
    ...(auth.length === 0 ? [] : [`  auth: { ${auth.join(", ")} },`]),
    ...(hasReferences ? ["  documentUrl: file,", REFERENCES] : []),
    "  onError: console.error,",
  ];
  return `{\n${lines.join("\n")}\n}`;
}

function toolText(name: string, identifier: string, { tools }: OpenApi): string {
  const { description, annotations, input, output } = tools[name]!.options;
  const options = literal({ description, annotations, input, ...(output !== undefined && { output }) });
  return `const ${identifier} = tool(${options}, (args, ctx) => api.request(${literal(name)}, args, ctx));`;
}

/** Columns of a line of source. */
const WIDTH = 100;

/** A value of JSON as source, as one writes it: names without quotes, and on one line what fits there. */
function literal(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const parts = entries.map(([name, each]) => `${isList ? "" : `${keyOf(name)}: `}${literal(each, inner)}`);
  const [open, close, space] = isList ? ["[", "]", ""] : ["{", "}", " "];
  if (parts.length === 0) return `${open}${close}`;
  const line = `${open}${space}${parts.join(", ")}${space}${close}`;
  if (!line.includes("\n") && indent.length + line.length <= WIDTH) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

/** A key `__proto__` of a literal would set the prototype, so it is a computed key. */
function keyOf(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

const TAKEN = [
  "api",
  "file",
  "server",
  "tool",
  "tools",
  "readFile",
  "fromOpenApi",
  "McpServer",
  "args",
  "ctx",
  "process",
  "console",
  "URL",
];
const RESERVED =
  /^(arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield)$/;

function identifiersOf(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(TAKEN);
  const identifiers = new Map<string, string>();
  for (const name of names) {
    const plain = name.replaceAll("-", "_").replace(/^(?=\d)/, "_");
    let identifier = RESERVED.test(plain) || taken.has(plain) ? `${plain}Tool` : plain;
    while (taken.has(identifier)) identifier += "_";
    taken.add(identifier);
    identifiers.set(name, identifier);
  }
  return identifiers;
}
