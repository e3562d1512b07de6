/** The output schema of an operation, and which media types its request accepts. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { OpenApiDocument } from "../document/document.ts";
import { isJsonType, memberOf, objectIn } from "../document/values.ts";
import type { FoundOperation } from "../document/operation.ts";
import { looseSchema } from "./output-schema.ts";
import { buildWithin, type SchemaBuilderOptions } from "./schema.ts";

export interface OutputPlan {
  /** Undefined if results have no schema. */
  readonly schema: JsonObject | undefined;
  readonly isExact: boolean;
  /** Whether the response is the member `result` of the data. */
  readonly isWrapped: boolean;
}

const NO_OUTPUT: OutputPlan = { schema: undefined, isExact: false, isWrapped: false };
/** Methods whose results get a loose schema: a write that succeeded must not fail because of its response. */
const READS = ["GET", "HEAD", "QUERY"];
/** Loose schemas may take this share of the limit, because the model does not need them for the call. */
const LOOSE_SHARE = 4;

/** The content of the response that means success, by media type. */
export function successOf(document: OpenApiDocument, { source }: FoundOperation): JsonObject {
  const responses = objectIn(source, "responses");
  const codes = Object.keys(responses).filter((code) => /^2(\d\d|XX)$/i.test(code));
  const order = [...codes.sort(), ...(codes.length === 0 ? ["default"] : [])];
  const contents = order.map((code) => objectIn(document.follow(responses[code]), "content"));
  return contents.find((content) => Object.keys(content).length > 0) ?? {};
}

/** The value of `Accept`: JSON if the API has it, so that the result has data. */
export function acceptOf(content: JsonObject): string {
  const types = Object.keys(content).filter((type) => /^[\x21-\x7E ]{1,100}$/.test(type));
  const json = types.filter(isJsonType);
  const wanted = json.length > 0 ? json : types;
  return wanted.length === 0 ? "*/*" : wanted.slice(0, 4).join(", ");
}

/** The schema of results, as the option `output` says. @throws UnmappableError if a reference leads nowhere */
export function outputOf(
  document: OpenApiDocument,
  found: FoundOperation,
  { output, ...options }: Omit<SchemaBuilderOptions, "maxLevels" | "forInput"> & { readonly output: "loose" | "exact" | "none" },
): OutputPlan {
  const content = successOf(document, found);
  const type = Object.keys(content).find(isJsonType);
  const source = type === undefined ? undefined : memberOf(document.follow(content[type]), "schema");
  if (source === undefined || output === "none") return NO_OUTPUT;
  if (output === "loose") {
    if (!READS.includes(found.operation.method)) return NO_OUTPUT;
    return { ...looseSchema(document, source, Math.ceil(options.maxSize / LOOSE_SHARE)), isExact: false };
  }
  const isObject = memberOf(document.follow(source), "type") === "object" || memberOf(document.follow(source), "properties") !== undefined;
  const { schema } = buildWithin(document, { ...options, forInput: false }, (builder) => {
    const converted = builder.convert(source);
    return isObject
      ? { type: "object", ...objectIn({ converted }, "converted") }
      : { type: "object", properties: { result: converted }, required: ["result"] };
  });
  return { schema, isExact: true, isWrapped: !isObject };
}
