/** The tools of mounted sources as the compiler knows them: under the names that the server gives them. Types only. */
import type { NoTools, ToolsOf } from "../../session/tools/typed-tools.ts";
import type { Mountable } from "../features/feature-source.ts";
import type { SignaturesOf } from "../features/tool.ts";

/** Sources by the prefixes under which they are mounted. */
export interface MountSet {
  readonly [prefix: string]: Mountable;
}

/** No mounts that the compiler knows. */
export type NoMounts = NoTools;

/** The names of tools that keep their characters: a name with a dot becomes one with a hash. */
type PlainNames<Tools> = Exclude<keyof Tools & string, `${string}.${string}`>;

/** The names of all mounted tools. */
type MountedNames<Mounts> = {
  [Prefix in keyof Mounts & string]: `${Prefix}__${PlainNames<ToolsOf<Mounts[Prefix]>>}`;
}[keyof Mounts & string];

/** The tool with that name. A prefix contains no `__`, so that the first one ends it. */
type MountedTool<Mounts, Name> = Name extends `${infer Prefix}__${infer Tool}`
  ? Prefix extends keyof Mounts
    ? Tool extends keyof ToolsOf<Mounts[Prefix]>
      ? ToolsOf<Mounts[Prefix]>[Tool]
      : never
    : never
  : never;

/** The signatures of a server's own tools and of those that it mounts. */
export type ServedSignatures<Tools, Mounts> = [keyof Mounts] extends [never]
  ? SignaturesOf<Tools>
  : SignaturesOf<Tools> & { readonly [Name in MountedNames<Mounts>]: MountedTool<Mounts, Name> };
