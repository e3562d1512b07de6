/** Finds out all that the calls of an operation need, or why it cannot become a tool. */
import { ARGUMENT_KEY } from "../base/argument-keys.ts";
import { setMember, type JsonObject } from "../jsonrpc/message.ts";
import { withArgumentNames } from "./schema/argument-names.ts";
import { bodyOf, bodySchema, type Body } from "./schema/body.ts";
import type { OpenApiDocument } from "./document/document.ts";
import type { FoundOperation } from "./document/operation.ts";
import type { OpenApiSettings } from "./options.ts";
import { acceptOf, outputOf, successOf } from "./schema/output.ts";
import { argumentSchema, parametersOf, type Parameter } from "./schema/parameters.ts";
import type { OperationPlan } from "./call/mapped-operation.ts";
import { BODY_ARGUMENT } from "./call/request.ts";
import { buildWithin, type SchemaBuilder } from "./schema/schema.ts";
import { placesOf, requirementOf } from "./call/security.ts";
import type { Servers } from "./document/servers.ts";
import { listIn, memberOf, objectIn, shortened } from "./document/values.ts";

/** An operation that becomes a tool, and what its entry in the report says. */
export interface PlannedOperation {
  readonly plan: OperationPlan;
  readonly isReduced: boolean;
  readonly notes: readonly string[];
}

export interface Planning {
  readonly document: OpenApiDocument;
  readonly options: OpenApiSettings;
  readonly servers: Servers;
  readonly patterns: Map<string, boolean>;
}

/** @throws UnmappableError with the reason */
export function planOperation(found: FoundOperation, { document, options, servers, patterns }: Planning): PlannedOperation {
  const { operation } = found;
  const requirement = requirementOf(document, found, options.auth ?? {});
  const base = servers.baseOf(found);
  const body = bodyOf(document, found);
  const isFlat = options.flatten === true && body !== undefined && isLiftable(document, body);
  const { parameters, notes } = parametersOf(document, found, placesOf(requirement), body === undefined || isFlat ? [] : [BODY_ARGUMENT]);
  const lifts = isFlat && !parameters.some(({ argument }) => Object.hasOwn(bodyProperties(document, body), argument));
  const inputs: Inputs = {
    document,
    parameters: lifts || !isFlat ? parameters : parametersOf(document, found, placesOf(requirement), [BODY_ARGUMENT]).parameters,
    body,
    isFlat: lifts,
    withUri: options.readFile !== undefined,
  };
  const limits = { maxSize: options.maxSchemaBytes, patterns };
  const input = buildWithin(document, { ...limits, forInput: true }, (builder) => inputSchema(inputs, builder));
  const { method, path } = operation;
  const accept = acceptOf(successOf(document, found));
  const named = withArgumentNames(input.schema);
  const request = { method, path, base, parameters: inputs.parameters, body, isFlat: lifts, accept, named };
  const output = outputOf(document, found, { ...limits, output: options.output ?? "loose" });
  return {
    plan: { operation, request, requirement, input: named.schema, output },
    isReduced: input.isReduced,
    notes: [...notes, ...notesOf(found, body), ...renamedIn(inputs.parameters), ...input.notes],
  };
}

function renamedIn(parameters: readonly Parameter[]): readonly string[] {
  const renamed = parameters.filter(({ writing }) => !ARGUMENT_KEY.test(writing.name));
  return renamed.map(({ argument, writing }) => `the parameter ${shortened(writing.name, 100)} is the argument ${argument}`);
}

function notesOf({ source }: FoundOperation, body: Body | undefined): readonly string[] {
  const notes = Object.keys(objectIn(source, "callbacks")).length > 0 ? ["its callbacks are left out"] : [];
  if (body?.kind === "text" && body.mediaType !== "text/plain") notes.push(`its body is given as text of the type ${body.mediaType}`);
  return notes;
}

/** Whether a body is a JSON object or a form whose properties can be arguments. */
function isLiftable(document: OpenApiDocument, body: Body): boolean {
  const schema = document.follow(body.schema);
  const isOpen = memberOf(schema, "additionalProperties") !== undefined && memberOf(schema, "additionalProperties") !== false;
  const isChoice = ["allOf", "anyOf", "oneOf", "nullable"].some((keyword) => memberOf(schema, keyword) !== undefined);
  return body.isRequired && ["json", "form"].includes(body.kind) && memberOf(schema, "properties") !== undefined && !isOpen && !isChoice;
}

function bodyProperties(document: OpenApiDocument, body: Body): JsonObject {
  return objectIn(document.follow(body.schema), "properties");
}

interface Inputs {
  readonly document: OpenApiDocument;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly isFlat: boolean;
  readonly withUri: boolean;
}

function inputSchema({ document, parameters, body, isFlat, withUri }: Inputs, builder: SchemaBuilder): JsonObject {
  const properties: JsonObject = {};
  const required = parameters.filter((parameter) => parameter.isRequired).map(({ argument }) => argument);
  for (const parameter of parameters) setMember(properties, parameter.argument, argumentSchema(parameter, builder));
  if (body !== undefined && isFlat) {
    const lifted = builder.convert(document.follow(body.schema));
    for (const [name, property] of Object.entries(objectIn(lifted, "properties"))) setMember(properties, name, property);
    required.push(...listIn(lifted, "required").map(String));
  } else if (body !== undefined) {
    setMember(properties, BODY_ARGUMENT, bodySchema(body, document, builder, withUri));
    if (body.isRequired) required.push(BODY_ARGUMENT);
  }
  return { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: false };
}
