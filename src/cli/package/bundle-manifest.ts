/**
 * The `manifest.json` of a bundle, as desktop hosts read it.
 *
 * https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Listing } from "../commands/collect.ts";
import { UsageError } from "../failure.ts";
import { isSecretName, textOf, type Project } from "./project.ts";

/** The command of the package, which serves the file: it reads TypeScript too. */
export const RUNNER = "node_modules/tenon/dist/cli/main.js";

/** A path in the folder that the host unpacks to. */
const place = (path: string): string => `\${__dirname}/${path}`;

/** @throws UsageError that names what package.json lacks */
export function manifestOf(project: Project, { tools, prompts, serverInfo }: Listing, variables: readonly string[]): JsonObject {
  const { package: own, file } = project;
  const name = textOf(project, "name");
  return {
    manifest_version: "0.3",
    name: name.replace(/^@/, "").replaceAll("/", "-"),
    ...(serverInfo?.title !== undefined && { display_name: serverInfo.title }),
    version: textOf(project, "version"),
    description: textOf(project, "description"),
    author: authorIn(own),
    ...textMembers(own, { homepage: "homepage", license: "license" }),
    server: {
      type: "node",
      entry_point: file,
      mcp_config: {
        command: "node",
        args: [place(RUNNER), "run", place(file)],
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

/** @throws UsageError if package.json has no author */
function authorIn({ author }: JsonObject): JsonObject {
  if (typeof author === "string" && author.trim() !== "") {
    const [, name = "", email, url] = /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(author.trim()) ?? [];
    return { name: name.trim() || author.trim(), ...(email && { email }), ...(url && { url }) };
  }
  if (isJsonObject(author) && typeof author["name"] === "string") {
    return { name: author["name"], ...textMembers(author, { email: "email", url: "url" }) };
  }
  throw new UsageError('package.json has no "author": add one, because hosts show who made a bundle.');
}

function nodeIn({ engines }: JsonObject): string {
  const node = isJsonObject(engines) ? engines["node"] : undefined;
  return typeof node === "string" ? node : ">=20";
}

function textMembers(from: JsonObject, names: { readonly [name: string]: string }): JsonObject {
  const entries = Object.entries(names).flatMap(([name, to]) => (typeof from[name] === "string" ? [[to, from[name]] as const] : []));
  return Object.fromEntries(entries);
}
