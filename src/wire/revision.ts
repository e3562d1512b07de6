/**
 * What a revision folder provides: the shapes of everything that travels, as data.
 *
 * `types` are shared pieces by name, `params` and `results` the outermost object of each message by method. A
 * revision also describes the results of questions (`sampling/createMessage` …), however it asks them.
 */
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { Dictionary } from "./shape.ts";

export interface Revision<Version extends ProtocolVersion = ProtocolVersion> {
  readonly version: Version;
  readonly types: Dictionary;
  readonly params: Dictionary;
  readonly results: Dictionary;
}
