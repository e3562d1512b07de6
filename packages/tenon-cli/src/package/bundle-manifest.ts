/**
 * The `manifest.json` of a bundle, as desktop hosts read it.
 *
 * https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
 */
import { join } from "node:path";
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import type { Listing } from "../commands/collect.ts";
import { UsageError } from "../failure.ts";
import { isSecretName, type Project } from "./project.ts";

/** What serves the file, without the other commands: it reads TypeScript too. */
export const RUNNER = "node_modules/tenon-cli/dist/serve-file.js";

/** A path in the folder that the host unpacks to. */
const place = (path: string): string => `\${__dirname}/${path}`;

/** @throws UsageError that names what package.json lacks */
export function manifestOf(project: Project, { tools, prompts, serverInfo }: Listing, variables: readonly string[]): JsonObject {
  const { package: own, file } = project;
  const { name, version, description, author } = shownIn(project);
  return {
    manifest_version: "0.3",
    name: name.replace(/^@/, "").replaceAll("/", "-"),
    ...(serverInfo?.title !== undefined && { display_name: serverInfo.title }),
    version,
    description,
    author,
    ...textMembers(own, { homepage: "homepage", license: "license" }),
    server: {
      type: "node",
      entry_point: file,
      mcp_config: {
        command: "node",
        args: [place(RUNNER), place(file)],
        ...(variables.length > 0 && { env: Object.fromEntries(variables.map((each) => [each, `\${user_config.${each}}`])) }),
      },
    },
    tools: tools.map(({ name: tool, description }) => ({ name: tool, ...(description !== undefined && { description }) })),
    ...(prompts.length > 0 && { prompts_generated: true }),
    compatibility: { runtimes: { node: nodeIn(own) } },
    ...(variables.length > 0 && { user_config: Object.fromEntries(variables.map((each) => [each, settingOf(each)])) }),
  };
}

function settingOf(variable: string): JsonObject {
  const title = variable.toLowerCase().replaceAll("_", " ");
  return {
    type: "string",
    title,
    description: `The variable ${variable} of the server`,
    required: true,
    sensitive: isSecretName(variable),
  };
}

interface Shown {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: JsonObject;
}

/** What hosts show of the package. @throws UsageError with the lines to add */
function shownIn({ package: own, folder }: Project): Shown {
  const textIn = (name: string): string => (typeof own[name] === "string" ? own[name] : "");
  const shown = { name: textIn("name"), version: textIn("version"), description: textIn("description"), author: authorIn(own) };
  const lacking = (Object.keys(EXAMPLES) as (keyof Shown)[]).filter((name) => shown[name] === undefined || shown[name] === "");
  const { author } = shown;
  if (lacking.length === 0 && author !== undefined) return { ...shown, author };
  const names = lacking.map((name) => JSON.stringify(name)).join(", ");
  const lines = lacking.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(EXAMPLES[name])}`);
  throw new UsageError(`package.json has no ${names}, which hosts show. Add to ${join(folder, "package.json")}: ${lines.join(", ")}`);
}

/** Lines for package.json, with a value to replace. */
const EXAMPLES: { readonly [Name in keyof Shown]: string } = {
  name: "my-server",
  version: "0.1.0",
  description: "What the server does",
  author: "Your name",
};

/** Undefined if package.json has no author with a name. */
function authorIn({ author }: JsonObject): JsonObject | undefined {
  if (typeof author === "string" && author.trim() !== "") {
    const [, name = "", email, url] = /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(author.trim()) ?? [];
    return { name: name.trim() || author.trim(), ...(email && { email }), ...(url && { url }) };
  }
  if (isJsonObject(author) && typeof author["name"] === "string") {
    return { name: author["name"], ...textMembers(author, { email: "email", url: "url" }) };
  }
  return undefined;
}

function nodeIn({ engines }: JsonObject): string {
  const node = isJsonObject(engines) ? engines["node"] : undefined;
  return typeof node === "string" ? node : ">=20";
}

function textMembers(from: JsonObject, names: { readonly [name: string]: string }): JsonObject {
  const entries = Object.entries(names).flatMap(([name, to]) => (typeof from[name] === "string" ? [[to, from[name]] as const] : []));
  return Object.fromEntries(entries);
}
