/** What happens in `tenon dev`, for the terminal, for `--json`, and for a page. */
import type { Definition } from "../definition.ts";
import type { DefinitionChange } from "./difference.ts";

export type DevEvent =
  /** A version of the file is served. */
  | {
      readonly kind: "served";
      /** 1 for the first version, and one more for each that follows. */
      readonly number: number;
      /** Milliseconds from the event of the file system until it is served. */
      readonly ms: number;
      readonly files: readonly string[];
      readonly changes: readonly DefinitionChange[];
      readonly definition: Definition;
      readonly warnings: readonly string[];
    }
  /** The newest version does not run. The one before it, if there is one, is served. */
  | { readonly kind: "failed"; readonly message: string; readonly isServing: boolean }
  /** The process of the server has ended by itself. */
  | { readonly kind: "ended"; readonly how: string; readonly isRestarted: boolean }
  /** A folder cannot be watched. */
  | { readonly kind: "unwatched"; readonly folder: string; readonly message: string };
