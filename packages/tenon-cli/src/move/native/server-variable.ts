/** What holds an official server in a file. */
import type { NewExpression } from "@babel/types";
import type { Node } from "../source/syntax-tree.ts";
import type { Place } from "./scopes.ts";

export const CLASSES: readonly string[] = ["McpServer", "Server"];

/** What holds a server, in one scope. */
export interface ServerVariable {
  /** In the words of the file: `server`, `this.server`, `createServer()`. */
  readonly name: string;
  /** Its class. */
  readonly official: string;
  /** What makes it; undefined for a parameter and for the result of a function. */
  readonly made: NewExpression | undefined;
  /** The nodes around what declares it. */
  readonly around: readonly Node[];
  readonly places: readonly Place[];
  /** Whether other files may use it. */
  readonly isExported: boolean;
}
