/** The tools of a server as the compiler knows them: their arguments and results. Types only. */
import type { RequestOptions } from "../../dispatch/dispatcher.ts";

/** One tool, as its caller sees it. */
export interface ToolSignature<Args = unknown, Data = unknown> {
  /** Its arguments. */
  readonly args: Args;
  /** Its structured content: `result.data`. */
  readonly data: Data;
}

/** Signatures by the names of the tools. */
export interface ToolSignatures {
  readonly [name: string]: ToolSignature;
}

/** No tools that the compiler knows. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a set without members is just what is meant
export type NoTools = Readonly<Record<never, never>>;

/** A server whose type names its tools. The member exists for the compiler only. */
export interface TypedServer<Tools> {
  /** For the compiler only: never there. */
  readonly "~tools"?: Tools;
}

/** The tools of a server's type: `ToolsOf<typeof server>`. Empty if the type does not name them. */
export type ToolsOf<Server> = Server extends { readonly "~tools"?: infer Tools }
  ? NonNullable<Tools> extends ToolSignatures
    ? NonNullable<Tools>
    : NoTools
  : NoTools;

/** `client.call`: one function per tool. Arguments may be omitted if none is required. */
export type ToolCalls<Tools, Options = RequestOptions> = {
  readonly [Name in keyof Tools]: Tools[Name] extends ToolSignature<infer Args, infer Data>
    ? Partial<Args> extends Args
      ? (args?: Args, options?: Options) => Promise<Data>
      : (args: Args, options?: Options) => Promise<Data>
    : never;
};
