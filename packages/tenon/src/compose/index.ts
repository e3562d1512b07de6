/** `tenon/compose`: tools made from tools. Nothing of it is loaded by servers that do not import it. */
export { transform, type SourceChange, type SourceChanges } from "./transform.ts";
export { join, prefix } from "./tool-sets.ts";
export { only, without } from "./select.ts";
export { rename, wrap } from "./wrap.ts";
export type {
  ArgumentChange,
  ArgumentChanges,
  ArgumentsAfter,
  DataAfter,
  Joined,
  KnownChanges,
  Prefixed,
  SetAfter,
  SetChange,
  SetChanges,
  TransformOptions,
} from "./types.ts";
