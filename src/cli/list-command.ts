/** `tenon list`: everything a server offers. */
import type { Client } from "../client/client.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { Resource } from "../protocol/content.ts";
import type { Prompt } from "../protocol/prompts.ts";
import type { ResourceTemplate } from "../protocol/resources.ts";
import type { Tool } from "../protocol/tools.ts";
import { withServer } from "./connection.ts";
import { cleanLine, shorten, type Paint } from "./display.ts";
import { CLIENT_OPTIONS, type Command } from "./invocation.ts";
import { choicesOf, typesOf } from "./schema-types.ts";

/** Choices of an argument that are still shown one by one. */
const MAX_CHOICES = 6;
/** Characters of a description that are worth a place beside its name. */
const MIN_ABOUT = 20;

interface Listing {
  protocolVersion: string;
  serverInfo: Implementation | undefined;
  capabilities: ServerCapabilities;
  instructions: string | undefined;
  tools: Tool[];
  resources: Resource[];
  resourceTemplates: ResourceTemplate[];
  prompts: Prompt[];
}

export const list: Command = {
  summary: "show what a server offers",
  usage: ["list <server>", "list -- <command> [argument ...]"],
  options: CLIENT_OPTIONS,
  examples: [
    "tenon list server.ts",
    'tenon list "npx -y @modelcontextprotocol/server-everything"',
    "tenon list -- node server.js --verbose",
  ],
  run: (invocation) =>
    withServer(invocation, [], async (client) => {
      const listing = await collect(client, invocation.signal);
      return { json: listing, text: (paint, width) => describe(listing, paint, width) };
    }),
};

/** Asks only for what the server says it has. */
async function collect(client: Client, signal: AbortSignal): Promise<Listing> {
  const { protocolVersion, serverInfo, serverCapabilities: capabilities, instructions } = client;
  const { tools, resources, prompts } = capabilities;
  return {
    protocolVersion,
    serverInfo,
    capabilities,
    instructions,
    tools: tools ? await all(client.tools({ signal })) : [],
    resources: resources ? await all(client.resources({ signal })) : [],
    resourceTemplates: resources ? await all(client.resourceTemplates({ signal })) : [],
    prompts: prompts ? await all(client.prompts({ signal })) : [],
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A name or signature, and what it is about. */
type Row = readonly [name: string, about: string | undefined];

function describe(listing: Listing, paint: Paint, width: number): string {
  const { serverInfo, protocolVersion } = listing;
  const name = serverInfo === undefined ? "A server without a name" : `${cleanLine(serverInfo.name)} ${cleanLine(serverInfo.version)}`;
  const sections = [
    section(
      "Tools",
      listing.tools.map((tool): Row => [signatureOf(tool), tool.description ?? tool.title ?? tool.annotations?.title]),
      paint,
      width,
    ),
    section(
      "Resources",
      listing.resources.map((resource): Row => [resource.uri, resource.description ?? resource.title ?? resource.name]),
      paint,
      width,
    ),
    section(
      "Resource templates",
      listing.resourceTemplates.map((item): Row => [item.uriTemplate, item.description ?? item.title ?? item.name]),
      paint,
      width,
    ),
    section(
      "Prompts",
      listing.prompts.map((prompt): Row => [promptSignatureOf(prompt), prompt.description ?? prompt.title]),
      paint,
      width,
    ),
  ].filter((text) => text !== "");
  return [`${paint("bold", name)}, revision ${protocolVersion}`, ...(sections.length > 0 ? sections : ["It offers nothing."])].join("\n\n");
}

/** Rows under a heading, the second column aligned as far as the first ones are short. */
function section(title: string, rows: readonly Row[], paint: Paint, width: number): string {
  if (rows.length === 0) return "";
  const names = rows.map(([name]) => cleanLine(name));
  const column = Math.min(40, Math.max(...names.map((name) => name.length)));
  const lines = rows.map(([, about], index) => {
    const name = names[index]!;
    if (about === undefined) return `  ${name}`;
    const room = width - Math.max(column, name.length) - 4;
    if (room >= MIN_ABOUT) return `  ${name.padEnd(column)}  ${paint("dim", shorten(cleanLine(about), room))}`;
    return `  ${name}\n      ${paint("dim", shorten(cleanLine(about), Math.max(MIN_ABOUT, width - 6)))}`;
  });
  return [paint("bold", `${title} (${rows.length})`), ...lines].join("\n");
}

/** `add(a: number, b?: number)` */
function signatureOf({ name, inputSchema }: Tool): string {
  const properties: JsonObject = isJsonObject(inputSchema["properties"]) ? inputSchema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(inputSchema["required"]) ? inputSchema["required"] : [];
  const parameters = Object.entries(properties).map(([parameter, schema]) => {
    const types = describeTypes(schema, inputSchema);
    return `${parameter}${required.includes(parameter) ? "" : "?"}${types === "" ? "" : `: ${types}`}`;
  });
  return `${name}(${parameters.join(", ")})`;
}

/** Choices where they are few, else types. */
function describeTypes(schema: unknown, root: JsonObject): string {
  const choices = choicesOf(schema, root);
  return choices !== undefined && choices.length <= MAX_CHOICES
    ? choices.map((choice) => JSON.stringify(choice)).join(" | ")
    : typesOf(schema, root).join(" | ");
}

function promptSignatureOf({ name, arguments: parameters = [] }: Prompt): string {
  return `${name}(${parameters.map((parameter) => `${parameter.name}${parameter.required === true ? "" : "?"}`).join(", ")})`;
}
