/**
 * What the file of a revision provides: the shapes of everything that travels, as data, where they differ from those of the
 * revision before, and the facts in which the revision differs. Entries are put together when they are asked for: a process
 * never needs most of them.
 *
 * `types` are shared pieces by name, `params` and `results` the outermost object of each message by method. A
 * revision also describes the results of questions (`sampling/createMessage` …), however it asks them.
 */
import type { ProtocolVersion } from "../protocol/versions.ts";
import { extended, type Dictionary } from "./shape.ts";

/** The two halves of a request: what it is called with, and what it is answered with. */
export type MessageKind = "params" | "results";
/** Where a shape stands in a revision. */
export type ShapeKind = MessageKind | "types";

export interface Revision extends Readonly<Record<ShapeKind, Dictionary>> {
  readonly version: ProtocolVersion;
  /** The revision before; what is not mentioned here is as it was there. */
  readonly previous?: Revision;
  /** Whether an array of messages is legal; default false. */
  readonly acceptsBatches?: boolean;
  /** What answers tool arguments that do not fit; default `"error"`. */
  readonly invalidToolInput?: "result" | "error";
}

/** The whole entry of a name, with all that the revisions before say of it; undefined for a name that none of them has. */
export function entryOf(revision: Revision, kind: ShapeKind, name: string): string | undefined {
  const { previous } = revision;
  return extended(previous && entryOf(previous, kind, name), revision[kind][name]);
}
