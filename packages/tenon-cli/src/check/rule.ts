/** What a rule of `tenon check` is, and what it finds. */
import type { JsonObject, Tool } from "tenon";

/** `error`: a host or a model's API refuses it. `warning`: models get on badly with it. */
export type Level = "error" | "warning";

/** A change of the server's source that mends a finding: a text in quotes, and what it becomes. */
export interface Fix {
  readonly from: string;
  readonly to: string;
}

export interface Finding {
  readonly rule: string;
  readonly level: Level;
  /** What it is about: `tool book`, `tool book, argument seats`, `server`. */
  readonly where: string;
  readonly message: string;
  /** The tool, if it is about one, and the argument of it. */
  readonly tool?: string;
  readonly argument?: string;
  readonly fix?: Fix;
}

/** What a rule says of one place; the engine adds the rule's name and its level. */
export type Found = Omit<Finding, "rule" | "level"> & { readonly level?: Level };

export interface Rule {
  readonly id: string;
  readonly level: Level;
  /** One sentence: what it finds. */
  readonly about: string;
  /** Why it matters, and what to do. */
  readonly explain: string;
  /** The profiles for which it is on. Undefined: always. */
  readonly profiles?: readonly string[];
  find(listing: Checked, profile: Profile): readonly Found[];
}

/** What the rules look at. */
export interface Checked {
  readonly tools: readonly Tool[];
}

/** What a host or a model's API accepts, by facts that its makers or its users have published. */
export interface Profile {
  readonly id: string;
  /** Most characters of a tool's name, the host's prefix left out. */
  readonly maxName: number;
  readonly names: RegExp;
  /** Whether `$ref` and `$defs` are understood. */
  readonly refs: boolean;
  /** Most tools; undefined if no limit is known. */
  readonly maxTools?: number;
  /** Most characters of a description; undefined if no limit is known. */
  readonly maxDescription?: number;
}

/** A schema inside a tool's input, with the way to it. */
export interface Place {
  readonly schema: JsonObject;
  /** The arguments on the way: `seats`, `guests[].name`. Empty for the root. */
  readonly path: string;
}

export function at({ name: tool }: Tool, path = ""): Pick<Finding, "where" | "tool" | "argument"> {
  return path === "" ? { where: `tool ${tool}`, tool } : { where: `tool ${tool}, argument ${path}`, tool, argument: path };
}
