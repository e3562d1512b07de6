/** A call of a tool whose effects are guarded. */
import type { RequestContext } from "../session/request-context.ts";
import type { EffectOptions } from "./options.ts";

export interface ToolCall {
  readonly name: string;
  readonly options: EffectOptions;
  /** The arguments, after the schema. */
  readonly input: unknown;
  readonly context: RequestContext;
}

/** Names the tool among all of a server: also one that several servers in it have under the same name. */
export function ownKey({ name, context }: ToolCall): readonly string[] {
  return [context.questionSource?.name ?? "", context.calledAs ?? name];
}
