/** Completion: values suggested while a user types an argument of a prompt or a variable of a resource template. */
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { CompleteRequestParams, CompleteResult } from "../protocol/prompts.ts";
import type { RequestContext } from "../session/request-context.ts";

/** Most values that one result may hold. */
export const MAX_COMPLETIONS = 100;

/**
 * Suggestions (TY-60), most relevant first; or a part of them as `values`, with how many there are in all (`total`) and whether that is
 * more (`hasMore`). Of more than 100 values the client is sent the first 100 (K4.2).
 */
export type Suggestions = readonly string[] | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean };

/** Suggests values that go on from what the user typed; `resolved` are the arguments that have a value already. */
export type Completer = (
  value: string,
  resolved: { readonly [name: string]: string },
  context: RequestContext,
) => MaybePromise<Suggestions>;

/** Completers by the name of the argument or variable. */
export type Completers<Name extends string = string> = { readonly [name in Name]?: Completer };

/** Prompts by their names, and resource templates by their texts, as far as completion needs them. */
export interface Completable {
  readonly prompts: { get(name: string): WithCompleters | undefined };
  readonly templates: { get(uriTemplate: string): WithCompleters | undefined };
}

interface WithCompleters {
  readonly options: { readonly complete?: Completers };
}

/** @throws McpError -32602 for a reference to nothing */
export function complete({ prompts, templates }: Completable, context: RequestContext): MaybePromise<CompleteResult> {
  const { ref, argument, context: given } = context.params as CompleteRequestParams; // checked by the codec
  const found = ref.type === "ref/prompt" ? prompts.get(ref.name) : templates.get(ref.uri);
  if (found === undefined)
    throw new McpError(ErrorCode.InvalidParams, `Unknown completion reference: ${ref.type === "ref/prompt" ? ref.name : ref.uri}`);
  const completers: Completers = found.options.complete ?? {};
  const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  if (completer === undefined) return toResult([]);
  return andThen(completer(argument.value, given?.arguments ?? {}, context), toResult);
}

function toResult(suggested: Suggestions): CompleteResult {
  const { values, total, hasMore } = isList(suggested) ? { values: suggested, total: suggested.length, hasMore: undefined } : suggested;
  const shown = values.slice(0, MAX_COMPLETIONS);
  const known = total ?? (values.length > shown.length ? values.length : undefined);
  return { completion: { values: shown, ...(known !== undefined && { total: known }), hasMore: hasMore ?? (known ?? 0) > shown.length } };
}

function isList(suggested: Suggestions): suggested is readonly string[] {
  return Array.isArray(suggested);
}
