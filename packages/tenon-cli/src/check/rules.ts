/**
 * The rules of `tenon check`. Each finds what a host or a model's API is known to refuse, or what makes models choose badly.
 *
 * The set is small on purpose: a rule is here only if what it finds is worth a change.
 */
import { cleanLine, escapeInvisible, findSchemaFault, isJsonObject } from "tenon/internal";
import type { Tool } from "tenon";
import { at, type Found, type Rule } from "./rule.ts";
import { placesIn } from "./walk.ts";

const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;

function perTool(rule: Omit<Rule, "find">, find: (tool: Tool, profile: Parameters<Rule["find"]>[1]) => readonly Found[]): Rule {
  return { ...rule, find: ({ tools }, profile) => tools.flatMap((tool) => find(tool, profile)) };
}

export const RULES: readonly Rule[] = [
  perTool(
    {
      id: "tool-name",
      level: "error",
      about: "A tool has a name that a model's API refuses.",
      explain:
        "APIs of models accept letters, digits, _ and -, at most 64 of them, and some no digit at the beginning. One name that they refuse fails the whole request, with all tools. Hosts also put the server's name before it: shorter is safer. Rename the tool.",
    },
    (tool, { names, maxName }) => {
      const { name } = tool;
      if (name.length <= maxName && names.test(name)) return [];
      const why =
        name.length > maxName ? `has ${name.length} characters, and ${maxName} are accepted` : "has characters that APIs of models refuse";
      const to = name.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^(?![A-Za-z_])/, "_");
      return [{ ...at(tool), message: `its name ${why}`, ...(to.length <= maxName && { fix: { from: name, to } }) }];
    },
  ),
  perTool(
    {
      id: "argument-name",
      level: "error",
      about: "An argument has a name that a model's API refuses.",
      explain:
        "Anthropic's API refuses a whole request if one argument of one tool has other characters in its name than letters, digits, _ . and -, or more than 64; names inside an argument are accepted. Rename the argument, and map it to the old name in the handler.",
    },
    (tool) =>
      Object.keys(isJsonObject(tool.inputSchema["properties"]) ? tool.inputSchema["properties"] : {})
        .filter((name) => !ARGUMENT.test(name))
        .map((name) => ({
          ...at(tool),
          message: `the argument ${JSON.stringify(cleanLine(name))} has a name that APIs of models refuse`,
        })),
  ),
  perTool(
    {
      id: "root-union",
      level: "error",
      about: "The arguments of a tool are a union, or have a condition, at their root.",
      explain:
        "APIs of models want one object at the root. Claude Code leaves a tool with anyOf, oneOf, allOf or if there out without a word (claude-code#95504), and others refuse the request. Make one object with optional members, and check the combination in the handler; or make a tool of each alternative.",
    },
    (tool) => {
      const keyword = ["anyOf", "oneOf", "allOf", "if"].find((each) => typeof tool.inputSchema[each] === "object");
      return keyword === undefined
        ? []
        : [{ ...at(tool), message: `its input schema has ${keyword} at the root: some hosts leave the tool out` }];
    },
  ),
  perTool(
    {
      id: "references",
      level: "warning",
      about: "The arguments of a tool use $ref.",
      explain:
        "Gemini CLI and others do not follow $ref to $defs, and the model sees no members there (gemini-cli#13326). Write the schema where it is used: in zod, do not give it an id with .meta(), and avoid recursion.",
    },
    (tool, { refs, id }) => {
      const place = placesIn(tool).find(({ schema }) => typeof schema["$ref"] === "string");
      if (place === undefined || (refs && id !== "common")) return [];
      return [{ ...at(tool, place.path), message: "its schema has $ref, which some hosts do not follow" }];
    },
  ),
  perTool(
    {
      id: "list-without-items",
      level: "error",
      about: "A list among the arguments does not say what is in it.",
      explain:
        "OpenAI's and Google's APIs, and hosts on them, refuse a tool whose schema has an array without items. Say what the list holds.",
    },
    (tool) =>
      placesIn(tool)
        .filter(
          ({ schema: { type, items, prefixItems } }) => [type].flat().includes("array") && items === undefined && prefixItems === undefined,
        )
        .map(({ path }) => ({ ...at(tool, path), message: "it is a list without `items`" })),
  ),
  perTool(
    {
      id: "schema",
      level: "error",
      about: "A schema of a tool is not valid JSON Schema.",
      explain:
        "Hosts that compile schemas leave the tool out, or refuse the whole list. Common causes: `required: true` inside a property, `exclusiveMinimum: true` of draft 4, an empty enum.",
    },
    (tool) =>
      (["inputSchema", "outputSchema"] as const).flatMap((member) => {
        const schema = tool[member];
        const fault = schema === undefined ? undefined : findSchemaFault(schema);
        if (fault === undefined) return [];
        const path = (fault.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".");
        return [{ ...at(tool), message: `its ${member} is not valid${path === "" ? "" : ` at ${path}`}: ${fault.message}` }];
      }),
  ),
  perTool(
    {
      id: "required-unknown",
      level: "error",
      about: "An argument is required that cannot be given.",
      explain:
        "The schema lists a name as required, has no property of that name, and allows no others. No call can be right. Add the property, or take the name out of `required`.",
    },
    (tool) =>
      placesIn(tool).flatMap(({ schema, path }) => {
        const { required, properties, additionalProperties, patternProperties } = schema;
        if (!Array.isArray(required) || additionalProperties !== false || patternProperties !== undefined) return [];
        const known = isJsonObject(properties) ? properties : {};
        return required
          .filter((name) => !Object.hasOwn(known, String(name)))
          .map((name) => ({ ...at(tool, path), message: `${JSON.stringify(name)} is required, and there is no such property` }));
      }),
  ),
  perTool(
    {
      id: "description",
      level: "warning",
      about: "A tool has no description.",
      explain: "The model chooses by descriptions. Say in one or two sentences what the tool does, when to use it, and what it returns.",
    },
    (tool) => ((tool.description ?? "").trim() === "" ? [{ ...at(tool), message: "it has no description" }] : []),
  ),
  perTool(
    {
      id: "description-length",
      level: "warning",
      about: "A description is longer than the host shows to the model.",
      explain: "The rest is cut without a word. Put what the model needs first, and details into the descriptions of arguments.",
    },
    (tool, { maxDescription = Infinity, id }) => {
      const { length } = tool.description ?? "";
      return length <= maxDescription
        ? []
        : [{ ...at(tool), message: `its description has ${length} characters; ${id} shows ${maxDescription}` }];
    },
  ),
  perTool(
    {
      id: "hidden-characters",
      level: "error",
      about: "A name or a description has characters that people do not see.",
      explain:
        "Models read them, and people who approve the tool do not: scanners report them as an attack. They often come with text that was pasted. Delete them.",
    },
    (tool) => {
      const texts = [tool.name, tool.title ?? "", tool.description ?? ""];
      const hidden = texts.find((text) => visible(text) !== text);
      return hidden === undefined
        ? []
        : [
            {
              ...at(tool),
              message: `it has hidden characters: ${escapeInvisible(hidden).slice(0, 120)}`,
              fix: { from: hidden, to: visible(hidden) },
            },
          ];
    },
  ),
  perTool(
    {
      id: "hints",
      level: "warning",
      about: "The hints of a tool contradict each other.",
      explain:
        "A tool that only reads cannot destroy. Hosts ask the user by these hints: set readOnlyHint only if the tool changes nothing.",
    },
    (tool) =>
      tool.annotations?.readOnlyHint === true && tool.annotations.destructiveHint === true
        ? [{ ...at(tool), message: "it has readOnlyHint and destructiveHint" }]
        : [],
  ),
  {
    id: "ambiguous",
    level: "warning",
    about: "Two tools look the same to a model.",
    explain:
      "They have the same description, or names that differ only in case and separators. The model picks one by chance. Say in each when to use it and not the other, or make one tool of both.",
    find: ({ tools }) => [...pairs(tools, nameKey, "names"), ...pairs(tools, textKey, "descriptions")],
  },
  {
    id: "too-many-tools",
    level: "warning",
    about: "There are more tools than a host or a model's API takes.",
    explain:
      "OpenAI takes 128 tools in a request, and Cursor sends 40. Choose fewer, or let models search: the option `discovery` of McpServer, or a gateway with `search`.",
    find: ({ tools }, { maxTools = Infinity }) =>
      tools.length <= maxTools ? [] : [{ where: "server", message: `it has ${tools.length} tools, and ${maxTools} are taken` }],
  },
];

/** A text without what people do not see. Joiners inside words of some scripts, and of emoji, stay. */
function visible(text: string): string {
  return text.replace(/[\u200B\u2060\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu, "");
}

function nameKey({ name }: Tool): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** What a rule and the findings without one say of themselves, for `--explain` and SARIF. */
export type RuleText = Pick<Rule, "id" | "level" | "about" | "explain">;

/** All that a finding may name: the rules, and what is measured and compared. */
export const RULE_TEXTS: readonly RuleText[] = [
  ...RULES,
  {
    id: "budget",
    level: "error",
    about: "The tools or the instructions have more tokens than --budget or mcp.lock allow.",
    explain:
      "A model reads all of it before its first call. Shorten descriptions, leave tools out, or raise the limit: --budget 4000 --update keeps it in mcp.lock.",
  },
  {
    id: "contract",
    level: "error",
    about: "Callers of the version in mcp.lock break, and the server's version does not say so.",
    explain:
      "Undo the change, or keep the old name beside the new one. If it is meant, give the server the version that the report names, and accept it with --update.",
  },
];

function textKey({ description = "" }: Tool): string {
  return description.toLowerCase().replace(/\s+/g, " ").trim();
}

/** Each later tool that has the key of an earlier one. */
function pairs(tools: readonly Tool[], keyOf: (tool: Tool) => string, what: string): Found[] {
  const first = new Map<string, Tool>();
  return tools.flatMap((tool) => {
    const key = keyOf(tool);
    const other = first.get(key);
    if (other === undefined) first.set(key, tool);
    if (key === "" || other === undefined) return [];
    return [{ ...at(tool), message: `it and ${other.name} have the same ${what}, so that a model cannot tell them apart` }];
  });
}
