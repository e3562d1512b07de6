/** Completion: suggests values while a user types an argument of a prompt or a variable of a resource template. */
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isList, type JsonObject } from "../../jsonrpc/message.ts";
import type { CompleteRequestParams, CompleteResult } from "../../protocol/prompts.ts";
import type { Definition } from "./registry.ts";
import type { Caller } from "../../session/caller.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { unknownName } from "./versions.ts";

export const MAX_COMPLETIONS = 100;

/**
 * Suggested values, most relevant first; or an object with the first `values`, the number of all values (`total`) and whether there are
 * more (`hasMore`). The client gets at most 100 values, as MCP limits a result.
 */
export type Suggestions =
  | readonly string[]
  | {
      /** The first values, most relevant first. */
      readonly values: readonly string[];
      /** How many values there are. Default: unknown. */
      readonly total?: number;
      /** Whether there are more values than these. Default: whether `total` is greater. */
      readonly hasMore?: boolean;
    };

/** Suggests values for what the user typed so far. `resolved` holds the arguments that have a value already. */
export type Completer = (
  value: string,
  resolved: { readonly [name: string]: string },
  context: RequestContext,
) => MaybePromise<Suggestions>;

/** Completers by the name of the argument or variable. */
export type Completers<Name extends string = string> = { readonly [name in Name]?: Completer };

/** The prompts by name and the resource templates by text: what completion reads of a server. */
export interface Completable {
  readonly prompts: { requested(name: string, params: JsonObject, caller: Caller): WithCompleters | undefined };
  readonly templates: { get(uriTemplate: string, caller: Caller): WithCompleters | undefined };
}

interface WithCompleters extends Pick<Definition, "forward"> {
  readonly options: { readonly complete?: Completers };
}

/** Runs the completer of an argument. @throws McpError -32602 if the reference is unknown */
export function complete({ prompts, templates }: Completable, context: RequestContext): MaybePromise<CompleteResult> {
  const { ref, argument, context: given } = context.params as CompleteRequestParams; // checked by the codec
  const found = ref.type === "ref/prompt" ? prompts.requested(ref.name, context.params, context) : templates.get(ref.uri, context);
  if (found === undefined)
    throw new McpError(
      ErrorCode.InvalidParams,
      unknownName("completion reference", ref.type === "ref/prompt" ? ref.name : ref.uri, context.params),
    );
  if (found.forward !== undefined) return found.forward(context) as MaybePromise<CompleteResult>; // the result of a completion
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
