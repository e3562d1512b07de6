/** Formats what a server offers as text for users: tools, resources, templates and prompts under headings. */
import { type Paint, cleanLine, isJsonObject, shorten, textChoicesOf, typesOf } from "tenon/internal";
import type { Implementation, JsonObject, Prompt, Resource, ResourceTemplate, Tool } from "tenon";

/** Most choices of an argument that are listed. */
const MAX_CHOICES = 6;
/** Fewest characters of a description that is shown beside its name. */
const MIN_ABOUT = 20;

export interface Offer {
  readonly protocolVersion: string;
  readonly serverInfo: Implementation | undefined;
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

type Row = readonly [name: string, about: string | undefined];

/** @param width characters of a line, or Infinity */
export function describeOffer({ serverInfo, protocolVersion, ...offer }: Offer, paint: Paint, width: number): string {
  const name = serverInfo === undefined ? "A server without a name" : `${cleanLine(serverInfo.name)} ${cleanLine(serverInfo.version)}`;
  const sections: [string, Row[]][] = [
    ["Tools", offer.tools.map((tool) => [signatureOf(tool), tool.description ?? tool.title ?? tool.annotations?.title])],
    ["Resources", offer.resources.map((item) => [item.uri, item.description ?? item.title ?? item.name])],
    ["Resource templates", offer.resourceTemplates.map((item) => [item.uriTemplate, item.description ?? item.title ?? item.name])],
    ["Prompts", offer.prompts.map((prompt) => [promptSignatureOf(prompt), prompt.description ?? prompt.title])],
  ];
  const shown = sections.filter(([, rows]) => rows.length > 0).map(([title, rows]) => section(title, rows, { paint, width }));
  return [`${paint("bold", name)}, revision ${protocolVersion}`, ...(shown.length > 0 ? shown : ["It offers nothing."])].join("\n\n");
}

interface Look {
  readonly paint: Paint;
  /** Characters of a line, or Infinity. */
  readonly width: number;
}

/** Formats rows under a heading. The second column is aligned, up to a maximum width of the first. */
function section(title: string, rows: readonly Row[], { paint, width }: Look): string {
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

/** Describes an argument by its choices if they are few, or else by its types. */
function describeTypes(schema: unknown, root: JsonObject): string {
  const choices = textChoicesOf(schema, root);
  return choices !== undefined && choices.length <= MAX_CHOICES
    ? choices.map((choice) => JSON.stringify(choice)).join(" | ")
    : typesOf(schema, root).join(" | ");
}

function promptSignatureOf({ name, arguments: parameters = [] }: Prompt): string {
  return `${name}(${parameters.map((parameter) => `${parameter.name}${parameter.required === true ? "" : "?"}`).join(", ")})`;
}
