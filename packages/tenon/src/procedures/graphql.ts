/**
 * `graphql()`: the named operations of a file as procedures, each with its variables as arguments.
 *
 * Only what the file says can be called: a model never writes a query, and no field is reached that no operation of the file selects.
 */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from "graphql";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { RequestContext } from "../session/request-context.ts";
import { schemaOfVariables, type Library, type TypeSource } from "./graphql-variables.ts";
import type { Procedure, ProcedureFailure, ProcedureSource } from "./procedure.ts";

/** An operation of the file that is to be run, as an executor of your own gets it. */
export interface GraphQlRequest {
  /** The text of the whole file. */
  readonly query: string;
  /** Which of its operations. */
  readonly operationName: string;
  /** The values of its variables. */
  readonly variables: JsonObject;
}

/** What running an operation gives: data, errors, or a stream of both for a subscription. */
export interface GraphQlResult {
  /** The data; null or absent if the operation failed as a whole. */
  readonly data?: unknown;
  /** What went wrong. Messages reach the model. */
  readonly errors?: readonly { readonly message: string; readonly extensions?: object; readonly originalError?: unknown }[] | undefined;
}

/** Options of {@link graphql}. */
export interface GraphQlOptions {
  /** The schema: an object of the library `graphql`, or its text. */
  readonly schema: object | string;
  /** The text of a file with named operations, such as `await readFile("operations.graphql", "utf8")`. Comments before an operation describe its tool. */
  readonly operations: string;
  /** Makes the context of one call from the caller of the tool. Default: none. Security: resolvers decide by it who calls. */
  readonly context?: (context: RequestContext) => MaybePromise<unknown>;
  /** The root value of the schema. Default: none. */
  readonly rootValue?: unknown;
  /** Runs an operation in place of the library, for example by the server that you have, with its plugins. Default: the library `graphql`. */
  readonly execute?: (request: GraphQlRequest, context: RequestContext) => MaybePromise<GraphQlResult | AsyncIterable<GraphQlResult>>;
}

/**
 * The operations of a file, for {@link fromProcedures}. Each is chosen because it is in the file. Queries only read, and subscriptions send
 * their results as progress.
 * @throws TypeError if an operation has no name, or does not fit the schema
 */
export async function graphql(options: GraphQlOptions): Promise<ProcedureSource> {
  const library = await import("graphql");
  const schema = typeof options.schema === "string" ? library.buildSchema(options.schema) : (options.schema as GraphQLSchema); // of the same library
  const document = library.parse(options.operations);
  const [fault] = library.validate(schema, document);
  if (fault !== undefined) throw new TypeError(`The operations do not fit the schema: ${fault.message}`);
  const procedures = document.definitions
    .filter((each): each is OperationDefinitionNode => each.kind === library.Kind.OPERATION_DEFINITION)
    .map((operation) => toProcedure(operation, { library, schema, document, options }));
  return { what: "the file of operations", procedures, leftOut: [] };
}

interface Running extends TypeSource {
  readonly document: DocumentNode;
  readonly options: GraphQlOptions;
}

function toProcedure(operation: OperationDefinitionNode, running: Running): Procedure {
  const name = operation.name?.value;
  if (name === undefined) throw new TypeError(`An operation has no name, which its tool needs: write "${operation.operation} name { … }"`);
  return {
    path: name,
    kind: operation.operation,
    meta: { mcp: true },
    description: commentOf(operation, running.library),
    inputs: operation.variableDefinitions?.length ? [schemaOfVariables(operation, running)] : [],
    output: undefined,
    call: async (input, context) =>
      unwrapped(await execute(name, operation, { input: isJsonObject(input) ? input : {}, context, running })),
    failure: failureOf,
  };
}

function commentOf({ loc }: OperationDefinitionNode, library: Library): string | undefined {
  const lines: string[] = [];
  for (let token = loc?.startToken.prev; token?.kind === library.TokenKind.COMMENT; token = token.prev) lines.unshift(token.value.trim());
  return lines.length === 0 ? undefined : lines.join("\n");
}

// ---- calls ----

interface Call {
  readonly input: JsonObject;
  readonly context: RequestContext;
  readonly running: Running;
}

async function execute(
  operationName: string,
  { operation }: OperationDefinitionNode,
  { input: variables, context, running }: Call,
): Promise<GraphQlResult | AsyncIterable<GraphQlResult>> {
  const { library, schema, document, options } = running;
  if (options.execute !== undefined) return options.execute({ query: options.operations, operationName, variables }, context);
  const contextValue = await options.context?.(context);
  const args = { schema, document, operationName, variableValues: variables, contextValue, rootValue: options.rootValue };
  return (operation === library.OperationTypeNode.SUBSCRIPTION ? library.subscribe(args) : library.execute(args)) as Promise<
    GraphQlResult | AsyncIterable<GraphQlResult>
  >; // one of these
}

class OperationError extends Error {
  override name = "OperationError";
  readonly errors: NonNullable<GraphQlResult["errors"]>;
  readonly data: unknown;

  constructor(errors: NonNullable<GraphQlResult["errors"]>, data: unknown) {
    super(errors.map(({ message }) => message).join("; "));
    this.errors = errors;
    this.data = data;
  }
}

function unwrapped(result: GraphQlResult | AsyncIterable<GraphQlResult>): unknown {
  return Symbol.asyncIterator in result ? dataOfEach(result) : dataOf(result);
}

async function* dataOfEach(results: AsyncIterable<GraphQlResult>): AsyncGenerator {
  for await (const result of results) yield dataOf(result);
}

/** @throws OperationError, or the error of a resolver, which is masked */
function dataOf({ data, errors = [] }: GraphQlResult): unknown {
  const foreign = errors
    .map(({ originalError }) => originalError)
    .find((error): error is Error => error instanceof Error && error.name !== "GraphQLError");
  if (foreign !== undefined) throw foreign;
  if (errors.length > 0) throw new OperationError(errors, data);
  return data;
}

function failureOf(error: unknown): ProcedureFailure | undefined {
  if (!(error instanceof OperationError)) return undefined;
  const extensions = error.errors[0]?.extensions;
  const code = isJsonObject(extensions) && typeof extensions["code"] === "string" ? extensions["code"] : "GRAPHQL_ERROR";
  return { code, message: error.message, ...(error.data !== undefined && error.data !== null && { data: error.data }) };
}
