/** Writes the argument of a body as bytes: JSON, a form, multipart, text or a file. */
import { fromBase64, randomId } from "../../base/bytes.ts";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { NumberText, stringifyExact } from "../../jsonrpc/exact-numbers.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ArgumentError } from "../document/errors.ts";
import type { Body } from "../schema/body.ts";
import { writingOf } from "../schema/parameters.ts";
import { toScalar, writeValue } from "../schema/style.ts";
import { memberOf, objectIn, textIn } from "../document/values.ts";

export interface EncodedBody {
  readonly contentType: string;
  readonly content: string | Uint8Array;
}

/** Returns the bytes of a resource that the caller names instead of sending bytes. */
export type ReadFile = (uri: string) => Promise<Uint8Array>;

/** @throws ArgumentError if the value cannot be written */
export async function encodeBody(value: unknown, body: Body, readFile: ReadFile | undefined): Promise<EncodedBody> {
  const { mediaType } = body;
  switch (body.kind) {
    case "json":
      return { contentType: mediaType, content: stringifyExact(value) };
    case "text":
      return { contentType: mediaType, content: toScalar(value) };
    case "form":
      return { contentType: mediaType, content: encodeForm(value, body) };
    case "multipart":
      return encodeMultipart(value, body, readFile);
    case "bytes":
      return encodeFile(value, mediaType, readFile);
    default:
      return body.kind satisfies never;
  }
}

async function encodeFile(value: unknown, mediaType: string, readFile: ReadFile | undefined): Promise<EncodedBody> {
  const { bytes, mimeType = mediaType.includes("*") ? "application/octet-stream" : mediaType } = await toFile(value, readFile);
  return { contentType: mimeType, content: bytes };
}

/** A form: lists repeat their name, objects are JSON, unless `encoding` gives a property a style. */
function encodeForm(value: unknown, { encoding }: Body): string {
  if (!isJsonObject(value)) throw new ArgumentError("must be an object, because it is sent as a form");
  const parts = Object.entries(value).map(([name, member]) => {
    const own = objectIn(encoding, name);
    const hasStyle = ["style", "explode", "allowReserved"].some((key) => Object.hasOwn(own, key));
    const written = !hasStyle && isJsonObject(member) ? stringifyExact(member) : member;
    return writeValue(written, writingOf(name, "query", own));
  });
  return parts.filter((part) => part !== undefined).join("&");
}

interface File {
  readonly bytes: Uint8Array;
  readonly filename?: string;
  readonly mimeType?: string;
}

/** @param part begins an error: which part of a multipart body the file is */
async function toFile(value: unknown, readFile: ReadFile | undefined, part = ""): Promise<File> {
  const [data, uri] = [memberOf(value, "data"), memberOf(value, "uri")];
  const [filename, mimeType] = [textIn(value, "filename"), textIn(value, "mimeType")];
  if (mimeType !== undefined && !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; ?[\w-]+=[\w.-]+)*$/.test(mimeType))
    throw new ArgumentError(`${part}has a mimeType that is not a media type`);
  const named = { ...(filename !== undefined && { filename }), ...(mimeType !== undefined && { mimeType }) };
  if (typeof data === "string") {
    const bytes = fromBase64(data);
    if (bytes === undefined) throw new ArgumentError(`${part}has "data" that is not base64`);
    return { bytes, ...named };
  }
  if (typeof uri === "string" && readFile !== undefined) return { bytes: await readFile(uri), ...named };
  throw new ArgumentError(`${part}must be a file: { "data": base64 }`);
}

/** Multipart by RFC 7578: one part for each value, a file with its name and type. */
async function encodeMultipart(value: unknown, { encoding, mediaType, files }: Body, readFile: ReadFile | undefined): Promise<EncodedBody> {
  if (!isJsonObject(value)) throw new ArgumentError("must be an object, because it is sent as multipart");
  const boundary = `tenon-${randomId()}`;
  const bytes = new GatheredBytes();
  const addText = (text: string): void => bytes.add(new TextEncoder().encode(text));
  for (const [name, member] of Object.entries(value)) {
    for (const item of Array.isArray(member) ? member : [member]) {
      if (item === null) continue;
      const own = objectIn(encoding, name);
      const part = files.has(name) ? await toFilePart(name, item, own, readFile) : toPart(name, item, own);
      addText(`--${boundary}\r\n${part.head}\r\n\r\n`);
      if (typeof part.content === "string") addText(part.content);
      else bytes.add(part.content);
      addText("\r\n");
    }
  }
  addText(`--${boundary}--\r\n`);
  return { contentType: `${mediaType}; boundary=${boundary}`, content: bytes.joined() };
}

interface Part {
  readonly head: string;
  readonly content: string | Uint8Array;
}

function toPart(name: string, item: unknown, encoding: JsonObject): Part {
  const type = typeIn(encoding) ?? (typeof item === "object" && !(item instanceof NumberText) ? "application/json" : undefined);
  const head = dispositionOf(name);
  return { head: type === undefined ? head : `${head}\r\nContent-Type: ${type}`, content: toScalar(item) };
}

async function toFilePart(name: string, item: unknown, encoding: JsonObject, readFile: ReadFile | undefined): Promise<Part> {
  const part = `has a part ${JSON.stringify(name)} that `;
  const { bytes, filename = name, mimeType = typeIn(encoding) ?? "application/octet-stream" } = await toFile(item, readFile, part);
  return { head: `${dispositionOf(name)}; filename="${quoted(filename)}"\r\nContent-Type: ${mimeType}`, content: bytes };
}

/** The first media type that `encoding` gives to a property; undefined if it gives none or a range. */
function typeIn(encoding: JsonObject): string | undefined {
  const type = textIn(encoding, "contentType")?.split(",", 1)[0]!.trim();
  return type === undefined || type.includes("*") || /[\r\n]/.test(type) ? undefined : type;
}

function dispositionOf(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`;
}

/** A name inside quotes, as browsers write it: it cannot end the header. */
function quoted(name: string): string {
  return name.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replaceAll('"', "%22");
}
