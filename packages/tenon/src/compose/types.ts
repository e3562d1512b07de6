/**
 * The types of what `transform()`, `prefix()` and `join()` make of tools: which names, arguments and data callers see afterwards.
 *
 * Types only. Each rule stands in one type, and `test/types/compose.ts` tests it.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { AnySchema, InferOutput } from "../schema/standard-schema.ts";
import type { ToolDefinition, ToolSet } from "../server/features/tool.ts";
import type { RequestContext } from "../session/request-context.ts";

/** What changes of one argument. An argument with `pin` can have no other change. */
export interface ArgumentChange<T = unknown> {
  /** The name that callers use instead. The old name is unknown afterwards. Default: the name stays. */
  readonly name?: string;
  /** The description, instead of the old one. */
  readonly describe?: string;
  /** The value of the argument if the caller omits it. It is published in the schema, and the argument is no longer required. */
  readonly default?: T;
  /**
   * The value of the argument in every call, or a function that makes it for the call. Callers neither see the argument nor can set it.
   * Security: the value is not published, but the tool may repeat it in its result or its errors.
   */
  readonly pin?: T | ((context: RequestContext) => MaybePromise<T>);
}

/** Changes of arguments by their names. */
export type ArgumentChanges<Args = { readonly [name: string]: unknown }> = {
  readonly [Name in keyof Args]?: ArgumentChange<Exclude<Args[Name], undefined>>;
};

/** What `transform()` changes of a tool. */
export interface TransformOptions<
  Args = { readonly [name: string]: unknown },
  Data = unknown,
  Changes = ArgumentChanges<Args>,
  Output extends AnySchema | undefined = AnySchema | undefined,
  Returned = unknown,
> {
  /** The name that users see. Default: the old title. */
  readonly title?: string;
  /** What the tool does and when to use it, for the model. Default: the old description. */
  readonly describe?: string;
  /** Changes of arguments by their names. Default: the arguments stay. */
  readonly arguments?: ArgumentChanges<Args> & Changes & { readonly [Name in keyof Changes]: Name extends keyof Args ? unknown : never };
  /**
   * Makes the result from the tool's data: its structured content, or its text if it has none. It does not run if the tool fails or asks.
   * Default: the result stays.
   */
  readonly result?: (data: Data, context: RequestContext) => MaybePromise<Returned>;
  /** The schema of what `result` returns. Default: the tool's own schema, or none if there is a `result`. */
  readonly output?: Output;
}

/** One object type instead of an intersection, so that editors show its members. */
type Flat<T> = { [K in keyof T]: T[K] };
/** The name of an argument after the changes. */
type NameAfter<Name, Changes> = Name extends keyof Changes
  ? Changes[Name] extends { readonly name: infer New extends string }
    ? New
    : Name
  : Name;
/** The names whose changes have that member. */
type With<Changes, Member extends string> = {
  [Name in keyof Changes]: Changes[Name] extends { readonly [K in Member]: unknown } ? Name : never;
}[keyof Changes];

/** The arguments that callers pass after the changes. */
export type ArgumentsAfter<Args, Changes> = string extends keyof Args
  ? Args
  : Flat<
      {
        [
          Name in keyof Args as Name extends With<Changes, "pin"> | With<Changes, "default">
            ? never
            : NameAfter<Name, Changes> & PropertyKey
        ]: Args[Name];
      } & {
        [
          Name in keyof Args as Name extends With<Changes, "pin">
            ? never
            : Name extends With<Changes, "default">
              ? NameAfter<Name, Changes> & PropertyKey
              : never
        ]?: Args[Name];
      }
    >;

/** What callers get after `result`: as for a handler that returns it. `never` for `Returned`: there is no `result`. */
export type DataAfter<Data, Output, Returned> = Output extends AnySchema
  ? InferOutput<Output> extends object
    ? InferOutput<Output>
    : unknown
  : [Returned] extends [never]
    ? Data
    : Returned extends string
      ? string
      : unknown;

/** Tools whose names begin with a prefix and `__`. */
export type Prefixed<Prefix extends string, Tools> = { readonly [Name in keyof Tools & string as `${Prefix}__${Name}`]: Tools[Name] };

/** All tools of the given sets, as one set. */
export type Joined<Sets extends readonly ToolSet[]> = Flat<Intersection<Sets[number]>>;
/** The intersection of the members of a union. */
type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

/** The changes of one tool of a set, where the name can change too. */
export type SetChange<Tool> =
  Tool extends ToolDefinition<infer Args, infer Data>
    ? TransformOptions<Args, Data, ArgumentChanges<Args>> & {
        /** The name of the tool. Default: the name stays. */
        readonly name?: string;
      }
    : never;
/** The changes of a set of tools, by name. */
export type SetChanges<Tools> = { readonly [Name in keyof Tools]?: SetChange<Tools[Name]> };
/** Refuses changes of tools and arguments that do not exist. */
export type KnownChanges<Tools, Changes> = {
  readonly [Name in keyof Changes]: Name extends keyof Tools
    ? Tools[Name] extends ToolDefinition<infer Args>
      ? { readonly arguments?: { readonly [Argument in Exclude<keyof ArgumentsIn<Changes[Name]>, keyof Args>]: never } }
      : never
    : never;
};
/** The changes of arguments in the changes of a tool. */
type ArgumentsIn<Change> = Change extends { readonly arguments: infer Changes } ? Changes : unknown;
/** A tool after its changes. */
type ToolAfter<Tool, Change> =
  Tool extends ToolDefinition<infer Args, infer Data, infer Lifespan>
    ? ToolDefinition<ArgumentsAfter<Args, ArgumentsIn<Change>>, DataAfter<Data, OutputIn<Change>, ReturnedIn<Change>>, Lifespan>
    : never;
/** The option `output` of a change. */
type OutputIn<Change> = Change extends { readonly output: infer Output } ? Output : undefined;
/** What the option `result` of a change returns. */
type ReturnedIn<Change> = Change extends { readonly result: (...given: never) => MaybePromise<infer Returned> } ? Returned : never;
/** A set of tools after its changes. */
export type SetAfter<Tools, Changes> = {
  readonly [Name in keyof Tools as NameAfter<Name, Changes> & PropertyKey]: Name extends keyof Changes
    ? ToolAfter<Tools[Name], Changes[Name]>
    : Tools[Name];
};
