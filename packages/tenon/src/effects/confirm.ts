/**
 * The option `confirm` of a tool: its user says yes before it runs. A client that can ask no one gets a refusal, never a yes.
 *
 * Security: the question is asked in the call itself, so its answer is of this user, for these arguments. A question whose text or arguments have
 * changed is asked again.
 */
import { canonicalJson } from "../base/json-values.ts";
import { NoBackChannelError } from "../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError } from "../protocol/errors.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import { ownKey, type ToolCall } from "./call.ts";
import type { ConfirmOption } from "./options.ts";

/** Characters of the arguments that a question shows. */
const MAX_SHOWN = 1_000;

/** Undefined if the tool may run; else what the client gets in place of its result. */
export async function refusalOf(call: ToolCall, option: ConfirmOption): Promise<CallToolResult | undefined> {
  const message = await messageOf(call, option);
  if (message === undefined) return undefined;
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
  const shown = canonicalJson(context.params["arguments"] ?? {});
  return `Run "${options.title ?? name}" with ${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown}?`;
}
