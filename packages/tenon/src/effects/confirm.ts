/**
 * The option `confirm` of a tool: its user says yes before it runs. A client that can ask no one gets a refusal, never a yes.
 *
 * Security: the question is asked in the call itself, so its answer is of this user, for these arguments. A question whose text or arguments have
 * changed is asked again.
 */
import { canonicalExactJson, withExactNumbersOf } from "../jsonrpc/exact-numbers.ts";
import { NoBackChannelError } from "../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError } from "../protocol/errors.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import { ownKey, type ToolCall, type ConfirmOption } from "./options.ts";

/** Characters that a question shows of each text among the arguments, and in all. */
const [MAX_TEXT, MAX_SHOWN] = [300, 4_000];

/** Undefined if the tool may run; else what the client gets in place of its result. */
export async function refusalOf(call: ToolCall, option: ConfirmOption): Promise<CallToolResult | undefined> {
  const message = await messageOf(call, option);
  if (message === undefined) return undefined;
  if (option === true && message.length > MAX_SHOWN)
    return call.context.fail(`"${call.name}" needs a yes of the user, and its arguments are too long to show. Nothing was done.`);
  try {
    if (await call.context.confirm(`~confirm ${ownKey(call).join(" ")}`, message)) return undefined;
  } catch (error) {
    if (!(error instanceof MissingClientCapabilityError) && !(error instanceof NoBackChannelError)) throw error;
    return call.context.fail(`"${call.name}" needs a yes of the user, and this client cannot ask for it. Nothing was done.`);
  }
  return call.context.fail(`The user did not confirm "${call.name}". Nothing was done.`);
}

function messageOf(
  { name, options, input, context }: ToolCall,
  option: ConfirmOption<unknown>,
): ReturnType<Exclude<ConfirmOption<unknown>, true | string>> {
  if (typeof option === "function") return option(input, context);
  if (typeof option === "string") return option;
  if ((option as unknown) !== true)
    throw new TypeError(`Option "confirm" of tool "${name}" must be true, a text, or a function that returns one`);
  return `Run "${options.title ?? name}" with ${canonicalExactJson(withShortTexts(context.params["arguments"] ?? {}))}?`;
}

/** Each text is cut for itself, and nothing else is. Security: if the whole was cut, a long argument could hide the ones after it. */
function withShortTexts(value: unknown): unknown {
  if (typeof value === "string") return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}… (${value.length} characters)` : value;
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(withShortTexts)
    : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withShortTexts(each)]));
  return withExactNumbersOf(value, copy);
}
