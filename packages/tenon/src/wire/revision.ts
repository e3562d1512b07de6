/**
 * The type of a revision file: one dictionary of what the revision changed.
 *
 * Shapes are data: `params` and `results` are the outermost object of each message by method, `types` the parts that they share, by
 * name. A revision also describes the results of questions (`sampling/createMessage` …), however it asks them. A shape or a fact
 * that a revision omits is inherited from the revision before. Entries are merged on demand: a process never needs most of them.
 */
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { CodecFacts } from "./codec.ts";
import { extendEntry, type Dictionary } from "./shape.ts";

/** The two halves of a request: its params and its result. */
export type MessageKind = "params" | "results";
/** The kinds of shapes in a revision. */
export type ShapeKind = MessageKind | "types";

/** What is special about a revision besides its shapes. */
export interface RevisionFacts extends CodecFacts {
  /** Whether a server can refuse a call until the user has visited a page (-32042). */
  readonly visitsPages: boolean;
}

export interface Revision extends Readonly<Record<ShapeKind, Dictionary>> {
  readonly version: ProtocolVersion;
  readonly previous?: Revision;
  /** The first revision has all of them. */
  readonly facts: Partial<RevisionFacts>;
}

/** The whole entry of a name, with everything that earlier revisions say of it; undefined if none of them has the name. */
export function entryOf(revision: Revision, kind: ShapeKind, name: string): string | undefined {
  const { previous } = revision;
  return extendEntry(previous && entryOf(previous, kind, name), revision[kind][name]);
}

export function factsOf({ previous, facts }: Revision): RevisionFacts {
  return { ...(previous && factsOf(previous)), ...facts } as RevisionFacts; // the first revision has all of them
}
