/**
 * Makes a preview of a result whose text is too long, and keeps the text for its caller.
 *
 * Text is what a model reads as text: text blocks, embedded resources that are text, and structured content that no schema of the tool describes.
 * Images, audio, links and bytes stay in their places. Structured content that a schema describes stays whole, so that it is what the schema says.
 */
import { utf8Length } from "../base/bytes.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { SPILL_KEY } from "../protocol/tenon-keys.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import { keepText, splits } from "./kept-texts.ts";
import { READ_MORE, uriOf } from "./names.ts";
import type { SpillSettings } from "./options.ts";
import { ownerOf } from "./owner.ts";

export interface Spilling {
  readonly settings: SpillSettings;
  readonly context: RequestContext;
  readonly store: KeyedStore;
  /** The tool, as its caller knows it. */
  readonly name: string;
  /** Whether the tool has an output schema. */
  readonly hasOutput: boolean;
  /** Called if the text cannot be kept. The result is then sent whole. */
  readonly report: (error: unknown) => void;
}

/** Whether the text of a result is too long. Counts without copying. */
export function isTooLong(result: JsonObject, { settings: { above }, hasOutput }: Pick<Spilling, "settings" | "hasOutput">): boolean {
  const { content, structuredContent, resultType = "complete" } = result;
  if (!Array.isArray(content) || resultType !== "complete") return false;
  const length = content.reduce((sum: number, block: unknown) => sum + (textIn(block)?.length ?? 0), 0);
  if (length > above) return true;
  return !hasOutput && structuredContent !== undefined && textsOf(content, structuredContent).join("\n").length > above;
}

export function isPreview({ _meta: meta }: JsonObject): boolean {
  return isJsonObject(meta) && SPILL_KEY in meta;
}

/** The result with a preview in the place of its text. */
export async function spill(result: JsonObject, spilling: Spilling): Promise<JsonObject> {
  const { settings, context, store, name, hasOutput, report } = spilling;
  const { structuredContent, ...others } = result;
  const content = result["content"] as readonly unknown[]; // it is too long
  const text = textsOf(content, hasOutput ? undefined : structuredContent).join("\n");
  const id = await keepText(store, ownerOf(context), text, settings).catch((cause: unknown): undefined => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = `The result of tool "${name}" is sent whole, all ${text.length} characters, because it cannot be kept`;
    report(new Error(`${what}: ${reason}`, { cause }));
  });
  if (id === undefined) return result;
  const uri = uriOf(id);
  const first = content.find((block) => textIn(block) !== undefined);
  const end = settings.preview - (splits(text, settings.preview) ? 1 : 0);
  const shown = [
    { ...(isJsonObject(first) && first["type"] === "text" && first), type: "text", text: text.slice(0, end) },
    { type: "text", text: noticeOf(uri, { end, length: text.length, limit: settings.above }) },
    { type: "resource_link", uri, name: `The whole result of ${name}`, mimeType: "text/plain", size: utf8Length(text) },
  ];
  const at = content.indexOf(first);
  const rest = content.filter((block) => textIn(block) === undefined);
  const before = content.slice(0, Math.max(0, at)).filter((block) => textIn(block) === undefined).length;
  return {
    ...others,
    content: [...rest.slice(0, before), ...shown, ...rest.slice(before)],
    ...(hasOutput && structuredContent !== undefined && { structuredContent }),
    _meta: { ...(isJsonObject(result["_meta"]) && result["_meta"]), [SPILL_KEY]: { uri, length: text.length } },
  };
}

function noticeOf(uri: string, { end, length, limit }: { readonly end: number; readonly length: number; readonly limit: number }): string {
  const call = JSON.stringify({ uri, from: end, to: Math.min(length, end + limit) });
  return `[This is the beginning, ${end} of ${length} characters. Call ${READ_MORE} of this server with ${call} to read on.]`;
}

/** The texts of a result, in order. Structured content is one of them, unless a block is its JSON. */
function textsOf(content: readonly unknown[], structured: unknown): string[] {
  const texts = content.flatMap((block) => textIn(block) ?? []);
  if (structured === undefined) return texts;
  const json = JSON.stringify(structured);
  return texts.includes(json) ? texts : [...texts, json];
}

/** The text of a block; undefined if it has none. */
function textIn(block: unknown): string | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, resource } = block;
  const text = type === "text" ? block["text"] : type === "resource" && isJsonObject(resource) ? resource["text"] : undefined;
  return typeof text === "string" ? text : undefined;
}
