/** The tools of a server as the compiler knows them: what callers give, and what they get. Types only. */
import type { RequestOptions } from "../dispatch/dispatcher.ts";

/** One tool, as its caller sees it. */
export interface ToolSignature<Args = unknown, Data = unknown> {
  /** What it is called with. */
  readonly args: Args;
  /** What it answers: `result.data`. */
  readonly data: Data;
}

/** Signatures by the names of the tools. */
export interface ToolSignatures {
  readonly [name: string]: ToolSignature;
}

/** No tools that the compiler knows. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a set without members is just what is meant
export type NoTools = Readonly<Record<never, never>>;

/** A server that says which tools it has. The member exists for the compiler only. */
export interface TypedServer<Tools> {
  /** For the compiler only: never there. */
  readonly "~tools"?: Tools;
}

/** The tools of a server's type: `ToolsOf<typeof server>`. None where it does not say. */
export type ToolsOf<Server> = Server extends { readonly "~tools"?: infer Tools }
  ? NonNullable<Tools> extends ToolSignatures
    ? NonNullable<Tools>
    : NoTools
  : NoTools;

/** `client.call`: one function a tool. Arguments may be left out where none is required. */
export type ToolCalls<Tools, Options = RequestOptions> = {
  readonly [Name in keyof Tools]: Tools[Name] extends ToolSignature<infer Args, infer Data>
    ? Partial<Args> extends Args
      ? (args?: Args, options?: Options) => Promise<Data>
      : (args: Args, options?: Options) => Promise<Data>
    : never;
};
