/**
 * The body of a request: which media type is sent, and what the model gives for it.
 *
 * The first supported type counts, in this order: JSON, form, multipart, text, bytes. Any other type is an argument of text that is
 * sent unchanged.
 */
import { setMember, type JsonObject } from "../../jsonrpc/message.ts";
import type { OpenApiDocument } from "../document/document.ts";
import { essenceOf, isJsonType, isTextType, listIn, memberOf, objectIn, textIn } from "../document/values.ts";
import type { FoundOperation } from "../document/operation.ts";
import { upgradeSchema } from "./old-schema.ts";
import type { SchemaBuilder } from "./schema.ts";

export type BodyKind = "json" | "form" | "multipart" | "text" | "bytes";

export interface Body {
  readonly kind: BodyKind;
  /** The value of `Content-Type`; multipart adds its boundary. */
  readonly mediaType: string;
  readonly isRequired: boolean;
  /** The schema in the document. */
  readonly schema: unknown;
  /** How properties of a form or a multipart are written, by name. */
  readonly encoding: JsonObject;
  readonly description: string | undefined;
  /** The properties of a multipart body that are files, or lists of files. */
  readonly files: ReadonlySet<string>;
}

const KINDS: readonly (readonly [BodyKind, (mediaType: string) => boolean])[] = [
  ["json", isJsonType],
  ["form", (type) => essenceOf(type) === "application/x-www-form-urlencoded"],
  ["multipart", (type) => essenceOf(type) === "multipart/form-data"],
  ["text", (type) => essenceOf(type) === "text/plain"],
  ["bytes", (type) => essenceOf(type) === "application/octet-stream" || /^(image|audio|video)\//.test(essenceOf(type))],
  ["text", isTextType],
  ["json", (type) => type.includes("*")],
  ["bytes", (type) => /(zip|gzip|pdf|octet|tar|binary|protobuf)/.test(essenceOf(type))],
  ["text", () => true],
];

export function bodyOf(document: OpenApiDocument, { source }: FoundOperation): Body | undefined {
  const request = document.follow(memberOf(source, "requestBody"));
  const content = objectIn(request, "content");
  const types = Object.keys(content);
  for (const [kind, takes] of KINDS) {
    const type = types.find(takes);
    if (type === undefined) continue;
    const media = document.follow(content[type]);
    const schema = memberOf(media, "schema");
    return {
      kind,
      mediaType: type === "*/*" ? "application/json" : type,
      isRequired: memberOf(request, "required") === true,
      schema,
      encoding: objectIn(media, "encoding"),
      description: textIn(request, "description"),
      files: new Set(kind === "multipart" ? filesIn(document, schema) : []),
    };
  }
  return undefined;
}

/** A file as an argument: its bytes as base64 with a name and a type. `withUri` allows a resource instead of bytes. */
export function fileSchema(withUri: boolean, description?: unknown): JsonObject {
  const properties: JsonObject = {
    data: { type: "string", contentEncoding: "base64", description: "The bytes as base64" },
    ...(withUri && { uri: { type: "string", description: "A resource of this server, instead of data" } }),
    filename: { type: "string" },
    mimeType: { type: "string" },
  };
  const described = typeof description === "string" ? { description } : {};
  if (!withUri) return { type: "object", ...described, properties, required: ["data"], additionalProperties: false };
  return { type: "object", ...described, properties, anyOf: [{ required: ["data"] }, { required: ["uri"] }], additionalProperties: false };
}

function filesIn(document: OpenApiDocument, schema: unknown): readonly string[] {
  const properties = objectIn(formObject(document, schema), "properties");
  return Object.keys(properties).filter((name) => isFile(document, properties[name]) || isFileList(document, properties[name]));
}

/** Whether a schema describes bytes. */
function isFile(document: OpenApiDocument, source: unknown): boolean {
  const schema = document.follow(source);
  if (schema === undefined) return false;
  if (schema["format"] === "binary") return true;
  return (
    schema["contentMediaType"] !== undefined &&
    schema["contentEncoding"] === undefined &&
    !isJsonType(textIn(schema, "contentMediaType") ?? "")
  );
}

function isFileList(document: OpenApiDocument, source: unknown): boolean {
  return isFile(document, memberOf(document.follow(source), "items"));
}

export function bodySchema(body: Body, document: OpenApiDocument, builder: SchemaBuilder, withUri: boolean): JsonObject {
  if (body.kind === "bytes") return fileSchema(withUri, body.description);
  if (body.kind === "text") return { type: "string", description: body.description ?? `Text of the type ${body.mediaType}` };
  const converted = body.kind === "multipart" ? multipartSchema(body, document, builder, withUri) : builder.convert(body.schema ?? {});
  const schema = typeof converted === "boolean" ? {} : converted;
  return body.description === undefined ? schema : { ...schema, description: body.description };
}

/** The schema of a multipart body, with files in place of bytes. */
function multipartSchema(body: Body, document: OpenApiDocument, builder: SchemaBuilder, withUri: boolean): JsonObject {
  const source = formObject(document, body.schema);
  const converted = builder.convert(source);
  const schema: JsonObject = typeof converted === "boolean" ? { type: "object" } : converted;
  const properties: JsonObject = { ...objectIn(schema, "properties") };
  for (const name of body.files) {
    if (!Object.hasOwn(properties, name)) continue;
    const file = fileSchema(withUri, memberOf(properties[name], "description"));
    setMember(properties, name, isFileList(document, objectIn(source, "properties")[name]) ? { type: "array", items: file } : file);
  }
  return { ...schema, properties };
}

/** The object schema of a form: with the properties of the schemas in its `allOf`. */
function formObject(document: OpenApiDocument, source: unknown): JsonObject {
  const followed = document.follow(source) ?? {};
  const schema = upgradeSchema(followed, document.isOldDialect);
  const parents = listIn(schema, "allOf").map((parent) => document.follow(parent) ?? {});
  if (parents.length === 0) return { ...schema, type: "object" };
  const { allOf: _, ...rest } = schema;
  const properties: JsonObject = {};
  for (const each of [...parents, rest])
    for (const [name, property] of Object.entries(objectIn(each, "properties"))) setMember(properties, name, property);
  const required = [...parents, rest].flatMap((each) => listIn(each, "required"));
  return { ...rest, type: "object", properties, required };
}
