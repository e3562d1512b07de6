/** What a call gave, as parts that each provider can put into its own form, within limits of size. */
import type { ModelToolOptions } from "./options.ts";
import { standardBase64 } from "../base/bytes.ts";
import { toWellFormed } from "../base/uri-template/template-syntax.ts";
import { stringifyExact } from "../jsonrpc/exact-numbers.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import type { ContentBlock } from "../protocol/content.ts";
import { isPicture, mediaTypeOf } from "./media.ts";
import type { ToolSource } from "./tool-source.ts";

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "audio" | "file"; readonly data: string; readonly mimeType: string; readonly name: string };

/** Text, an image, a sound or a file, and the rest of the call. */
export interface Outcome {
  readonly id: string;
  /** The name that the model used. */
  readonly name: string;
  readonly parts: readonly Part[];
  readonly structured: unknown;
  readonly isError: boolean;
}

export type PartLimits = Required<Pick<ModelToolOptions, "maxText" | "maxMedia" | "readLinks">>;

export function errorOutcome(id: string, name: string, message: string): Outcome {
  return { id, name, parts: [{ kind: "text", text: toWellFormed(message) }], structured: undefined, isError: true };
}

/** The parts of a result. Structured content counts only if the result has nothing else, because servers repeat it as text. */
export async function partsOf(
  { content, structuredContent }: { readonly content: readonly ContentBlock[]; readonly structuredContent?: unknown },
  limits: PartLimits,
  source: Pick<ToolSource, "readResource">,
  signal: AbortSignal | undefined,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const block of content) parts.push(...(await blockParts(block, limits, source, signal)));
  if (parts.length === 0 && structuredContent !== undefined) parts.push({ kind: "text", text: stringifyExact(structuredContent) });
  return bounded(parts, limits);
}

async function blockParts(
  block: ContentBlock,
  { readLinks }: PartLimits,
  source: Pick<ToolSource, "readResource">,
  signal: AbortSignal | undefined,
): Promise<readonly Part[]> {
  if (block.type === "text") return [{ kind: "text", text: block.text }];
  if (block.type === "image" || block.type === "audio") return [mediaPart(block.data, block.mimeType, block.type)];
  if (block.type === "resource") return [contentsPart(block.resource)];
  if (block.type !== "resource_link")
    return [{ kind: "text", text: `[a block of an unknown kind: ${String((block as { type: unknown }).type)}]` }];
  const { name, uri, description } = block;
  const link: Part = {
    kind: "text",
    text: `[resource ${JSON.stringify(name)}: ${uri}${description === undefined ? "" : `, ${description}`}]`,
  };
  if (!readLinks) return [link];
  try {
    const { contents } = await source.readResource(uri, signal && { signal });
    return [link, ...contents.map(contentsPart)];
  } catch (error) {
    return [link, { kind: "text", text: `[it could not be read: ${messageOf(error)}]` }];
  }
}

function contentsPart(contents: { readonly uri: string; readonly mimeType?: string } & object): Part {
  const { uri, mimeType = "" } = contents;
  if ("text" in contents && typeof contents.text === "string") return { kind: "text", text: `[${uri}]\n${contents.text}` };
  return mediaPart(
    "blob" in contents && typeof contents.blob === "string" ? contents.blob : "",
    mimeType,
    uri.split("/").at(-1)! || "file",
  );
}

function mediaPart(base64: string, named: string, name: string): Part {
  const data = standardBase64(base64) ?? base64;
  const mimeType = mediaTypeOf(data, named);
  const kind = mimeType.startsWith("image/") ? "image" : mimeType.startsWith("audio/") ? "audio" : "file";
  const part = { kind, data, mimeType, name } as const;
  if (data === "") return leftOut(part, "it is empty");
  return kind === "image" && !isPicture(mimeType) ? leftOut(part, "APIs of models take JPEG, PNG, GIF and WebP") : part;
}

/** Cuts text and leaves out media beyond the limits, and says so. A half character, which APIs refuse, is replaced. */
function bounded(parts: readonly Part[], { maxText, maxMedia }: PartLimits): readonly Part[] {
  let [text, media] = [maxText, maxMedia];
  return parts.map((part) => {
    if (part.kind === "text") {
      const { length } = part.text;
      const head = toWellFormed(part.text.slice(0, Math.max(0, text)));
      text -= length;
      return { kind: "text", text: head.length === length ? head : `${head}\n[cut: ${length - head.length} characters more]` };
    }
    media -= part.data.length;
    return media >= 0 ? part : leftOut(part, "it is too large");
  });
}

/** JSON writes half of a character by its code. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** A value of JSON without half characters, which APIs refuse. */
export function withoutHalves<T>(value: T): T {
  const json = JSON.stringify(value) ?? "";
  return json.search(HALF) < 0 ? value : (JSON.parse(json.replace(HALF, "$1\\ufffd")) as T); // only texts have changed
}

/** The text in place of media that a provider does not take. */
export function leftOut(part: Exclude<Part, { kind: "text" }>, why: string): { readonly kind: "text"; readonly text: string } {
  return { kind: "text", text: `[${part.kind} ${part.mimeType}, ${Math.floor((part.data.length * 3) / 4)} bytes, left out: ${why}]` };
}

/** All text of an outcome; media as notes. Never empty, because some APIs refuse an empty result. */
export function textOf({ parts }: Pick<Outcome, "parts">, why = "the API takes text only here"): string {
  const texts = parts.map((part) => (part.kind === "text" ? part.text : leftOut(part, why).text));
  return texts.join("\n") || "(no content)";
}

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : String(error);
}
