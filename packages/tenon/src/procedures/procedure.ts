/**
 * A procedure of a router, in the form that every adapter gives to `fromProcedures()`, and the types that callers of its tool see.
 *
 * An adapter (`trpc.ts`, `orpc.ts`, …) knows one library. What all have in common is here and in `from-procedures.ts`.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { AnySchema } from "../schema/standard-schema.ts";
import type { ToolDefinition } from "../server/features/tool.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ToolSignature } from "../session/tools/typed-tools.ts";

/** What `include`, `name` and `map` see of a procedure. */
export interface ProcedureInfo {
  /** Its path in the router, joined with dots: `posts.byId`. Of a route: its `operationId`, or else its method and path. */
  readonly path: string;
  /** Whether it only reads, changes something, or sends values until it ends. */
  readonly kind: "query" | "mutation" | "subscription";
  /** The metadata that its author gave to it; undefined if there is none. Its member `mcp` chooses the procedure, unless `include` is given. */
  readonly meta: unknown;
  /** A short text of its author; absent if there is none. */
  readonly summary?: string | undefined;
  /** A longer text of its author; absent if there is none. */
  readonly description?: string | undefined;
}

/** A failure that the router's author meant for callers: its text, and its code for programs. */
export interface ProcedureFailure {
  /** The code in the words of the library: `NOT_FOUND`. */
  readonly code: string;
  /** What went wrong, for the model. */
  readonly message: string;
  /** The status of HTTP that belongs to the code. */
  readonly status?: number | undefined;
  /** Data of the failure. */
  readonly data?: unknown;
}

/** A procedure that an adapter found. */
export interface Procedure extends ProcedureInfo {
  /** Its input: undefined if it takes none; a list if several schemas check one input. */
  readonly inputs: readonly AnySchema[];
  /** Its output schema; undefined if it has none. */
  readonly output: AnySchema | undefined;
  /** Runs it through the router, with the router's own middleware and validation. May return an async iterable or an observable. */
  call(input: unknown, context: RequestContext): MaybePromise<unknown>;
  /** What the caller may read of an error; undefined for an error that must be masked, with the error to report. */
  failure(error: unknown): ProcedureFailure | undefined;
  /** The tool, if the adapter has made it already. Then schemas and `call` are not used. */
  readonly tool?: ToolDefinition<unknown, unknown, unknown>;
  /** The name of that tool. Absent: it is made of the path. */
  readonly toolName?: string;
}

/** A router as an adapter sees it. Adapters make it: `trpc()`, `orpc()`, `tsRest()`, `hono()`, `graphql()`. */
export interface ProcedureSource<Signatures = Readonly<Record<string, ToolSignature>>> {
  /** What it is, for errors: `the tRPC router`. */
  readonly what: string;
  /** All its procedures, in order. */
  readonly procedures: readonly Procedure[];
  /** Parts that cannot become tools, with the reason. */
  readonly leftOut: readonly { readonly procedure: string; readonly why: string }[];
  /** For the compiler only: never there. */
  readonly "~signatures"?: Signatures;
}

/** A value as its JSON is typed: dates are texts, and an integer that a number cannot hold is a text. */
export type Json<T> = T extends Date
  ? string
  : T extends bigint
    ? number | string
    : T extends (...args: never) => unknown
      ? never
      : T extends readonly (infer Item)[]
        ? readonly Json<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]: Json<T[Key]> }
          : T;

/** A file as an argument. */
export interface FileArgument {
  /** The bytes, in base64. */
  readonly data: string;
  /** Its name. */
  readonly filename?: string;
  /** Its media type. */
  readonly mimeType?: string;
}

/** An input as callers write it: dates as texts, files as base64. */
export type JsonInput<T> = T extends Blob
  ? FileArgument
  : T extends Date | bigint
    ? Json<T>
    : T extends readonly (infer Item)[]
      ? readonly JsonInput<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: JsonInput<T[Key]> }
        : T;

/** Whether a value is an object whose members are arguments or data. */
export type IsObject<T> = [T] extends [object] ? ([T] extends [readonly unknown[] | Date | Blob] ? false : true) : false;

/** The arguments of a tool without input. */
export type NoArguments = Readonly<Record<string, never>>;

/** An input that is given: one that may be left out is never null. */
export type Given<Input> = Exclude<Input, undefined extends Input ? undefined | void | null : void>;

/** The arguments of a tool: the input itself if it is an object, and its member `input` otherwise. */
export type ArgumentsOf<Input> = [Input] extends [undefined | void]
  ? NoArguments
  : IsObject<Given<Input>> extends true
    ? JsonInput<Given<Input>> | (undefined extends Input ? NoArguments : never)
    : undefined extends Input
      ? { readonly input?: JsonInput<Exclude<Input, undefined | void>> }
      : { readonly input: JsonInput<Input> };

/** The data of a result: an object itself, a list or a number as the member `result`, and a text alone. */
export type DataOf<Output> = [Output] extends [string]
  ? string
  : [Output] extends [readonly unknown[] | number | boolean]
    ? { readonly result: Json<Output> }
    : [Output] extends [AsyncIterable<infer Value>]
      ? { readonly values: readonly Json<Value>[] }
      : IsObject<Output> extends true
        ? Json<Output>
        : unknown;

/** What is below a router: the record of a router of tRPC, and the object itself otherwise. */
export type Children<Router> = Router extends { readonly _def: { readonly record: infer Record } } ? Record : Router;

/** The paths of all procedures below a router, which are nodes of the type `Leaf`. */
export type PathsOf<Router, Leaf, Prefix extends string = ""> = {
  [Key in keyof Router & string]: Router[Key] extends Leaf
    ? `${Prefix}${Key}`
    : Router[Key] extends object
      ? PathsOf<Children<Router[Key]>, Leaf, `${Prefix}${Key}.`>
      : never;
}[keyof Router & string];

/** The node at a path. */
export type NodeAt<Router, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Router
    ? NodeAt<Children<Router[Head]>, Rest>
    : never
  : Path extends keyof Router
    ? Router[Path]
    : never;
