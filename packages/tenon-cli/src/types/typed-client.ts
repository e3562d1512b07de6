/** Writes the types of a server's offer: arguments, results, prompts, templates. `json-schema-to-typescript` writes the types of schemas. */
import { cleanLine, parseTemplate } from "tenon/internal";
import type { Prompt, Tool } from "tenon";
import type { Offer } from "../terminal/listing-text.ts";
import { printContract, type Contract } from "./contract.ts";
import { toPlainSchema } from "./plain-schema.ts";
import { createHash } from "node:crypto";

/** The first words of a generated file. */
export const MADE_BY = "// Made by tenon types";
/** What the generated file imports. */
const LIBRARY = "tenon/server";
/** Most tools of a file. */
const MAX_TOOLS = 2_000;

/** Without comments and layout of their own, and without reading anything that a schema names. */
const COMPILE_OPTIONS = {
  bannerComment: "",
  format: false,
  unknownAny: true,
  additionalProperties: false,
  $refOptions: { resolve: { http: false, file: false } },
} as const;

/** @param from where the server was found; it holds no secret @throws RangeError if there are too many tools */
export async function typedClient(offer: Offer, contract: Contract, from: string): Promise<string> {
  if (offer.tools.length > MAX_TOOLS)
    throw new RangeError(`The server has ${offer.tools.length} tools: types are made of ${MAX_TOOLS} at most.`);
  const names = new TypeNames(["Tools", "Prompts", "Templates", "Server", "McpServer", "Array", "Record"]);
  const types: string[] = [];
  const tools: string[] = [];
  for (const tool of offer.tools) {
    const { inputSchema, outputSchema } = tool;
    const args = await typeOf(inputSchema, names.make(tool.name, "Input"), names);
    const data = outputSchema === undefined ? undefined : await typeOf(outputSchema, names.make(tool.name, "Output"), names);
    types.push(args.text, ...(data === undefined ? [] : [data.text]));
    tools.push(`${commentOf(tool)}  ${JSON.stringify(tool.name)}: { args: ${args.name}; data: ${data?.name ?? "unknown"} };`);
  }
  return [
    `${MADE_BY} from ${cleanLine(contract.server)}${from === "" ? "" : ` (${cleanLine(from)})`}, revision ${contract.revision}. Do not edit.`,
    `// ${contract.digest}`,
    `import type { McpServer } from ${JSON.stringify(LIBRARY)};`,
    "",
    ...types,
    block("The tools, by their names.", "Tools", tools),
    block("The arguments of the prompts.", "Prompts", offer.prompts.map(promptType)),
    block(
      "The variables of the resource templates.",
      "Templates",
      offer.resourceTemplates.flatMap(({ uriTemplate }) => templateType(uriTemplate)),
    ),
    "/** The type of the server, for `connect<Server>(…)`. */",
    'export type Server = McpServer & { readonly "~tools"?: Tools };',
    "",
    "/** What these types were made from. `tenon types --check` compares it with the server. */",
    printContract(contract),
    "",
  ].join("\n");
}

/** A schema that types cannot be made of is `unknown`, with the reason. */
async function typeOf(schema: unknown, name: string, names: TypeNames): Promise<{ readonly name: string; readonly text: string }> {
  const { compile } = await import("json-schema-to-typescript");
  try {
    const plain = toPlainSchema(schema, (definition) => names.make(`${name} ${definition}`));
    const text = (await compile(plain, name, COMPILE_OPTIONS)).trim();
    if (new RegExp(`^export (?:interface|type) ${name}\\b`, "m").test(text)) return { name, text: `${indented(text)}\n` };
    throw new Error("it has no name");
  } catch (error) {
    const why = cleanLine(error instanceof Error ? error.message : String(error)).replaceAll("*/", "* /");
    return { name, text: `/** The schema could not be read: ${why}. */\nexport type ${name} = unknown;\n` };
  }
}

/** Indents lines by the braces around them: the library leaves that to a formatter, which is larger than this command. */
function indented(text: string): string {
  let depth = 0;
  return text
    .split("\n")
    .map((line) => {
      if (/^[})\]]/.test(line)) depth--;
      const shown = "  ".repeat(Math.max(0, depth)) + (line.startsWith("*") ? ` ${line}` : line.trimStart());
      if (!/^(?:\*|\/\*)/.test(line) && /[{([]$/.test(line)) depth++;
      return shown.trimEnd();
    })
    .join("\n");
}

function block(about: string, name: string, lines: readonly string[]): string {
  return `/** ${about} */\nexport type ${name} = {${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}};\n`;
}

function commentOf({ description }: Tool): string {
  return description === undefined ? "" : `  /** ${cleanLine(description).replaceAll("*/", "* /")} */\n`;
}

function promptType({ name, arguments: list = [] }: Prompt): string {
  const members = list.map((one) => `${JSON.stringify(one.name)}${one.required === true ? "" : "?"}: string`);
  return `  ${JSON.stringify(name)}: { ${members.join("; ")} };`;
}

/** A template that cannot be parsed has no variables that are known. */
function templateType(uriTemplate: string): string[] {
  try {
    const variables = parseTemplate(uriTemplate).expressions.flatMap((expression) => expression.variables);
    const members = [...new Map(variables.map(({ name, explode }) => [name, explode ? "string | string[]" : "string"]))];
    return [`  ${JSON.stringify(uriTemplate)}: { ${members.map(([name, type]) => `${JSON.stringify(name)}: ${type}`).join("; ")} };`];
  } catch {
    return [];
  }
}

/** Characters of a name before what makes it unique. */
const MAX_NAME = 60;

/** Gives each type of a generated file a name of its own. */
export class TypeNames {
  readonly #used = new Set<string>();

  /** Names that stand in the file already. */
  constructor(reserved: Iterable<string>) {
    for (const name of reserved) this.#used.add(name);
  }

  /** A name in Pascal case. A text whose name is taken gets a suffix that follows from the text alone, so that the order does not matter to others. */
  make(text: string, ending = ""): string {
    const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
    const base = words
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join("")
      .slice(0, MAX_NAME);
    const name = (/^[A-Z]/.test(base) ? base : `T${base}`) + ending;
    const digest = createHash("sha256").update(text).digest("hex").toUpperCase();
    let unique = name;
    for (let length = 6; this.#used.has(unique); length++) unique = `${name}_${digest.slice(0, length)}`.replace("_", "X");
    this.#used.add(unique);
    return unique;
  }
}
