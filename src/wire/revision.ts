/**
 * What a revision folder provides: the shapes of everything that travels, as data, where they differ from those of the
 * revision before. Entries are put together when they are asked for: most of them a process never needs.
 *
 * `types` are shared pieces by name, `params` and `results` the outermost object of each message by method. A
 * revision also describes the results of questions (`sampling/createMessage` …), however it asks them.
 */
import type { ProtocolVersion } from "../protocol/versions.ts";
import { extended, type Dictionary } from "./shape.ts";

export interface Revision<Version extends ProtocolVersion = ProtocolVersion> {
  readonly version: Version;
  /** The revision before; what is not mentioned here is as it was there. */
  readonly previous?: Revision;
  readonly types: Dictionary;
  readonly params: Dictionary;
  readonly results: Dictionary;
}

/** Shapes of a message, by where it goes. */
export type ShapeKind = "types" | "params" | "results";

/** The whole entry of a name, with all that the revisions before say of it; undefined for a name that none of them has. */
export function entryOf(revision: Revision, kind: ShapeKind, name: string): string | undefined {
  const before = revision.previous && entryOf(revision.previous, kind, name);
  return extended(before, revision[kind][name]);
}
