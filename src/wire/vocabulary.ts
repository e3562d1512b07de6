/**
 * The shapes that all codecs go by. Those every session needs are there from the start (`core.ts`): the handshake, tools,
 * and whatever is only told. The rest is loaded with the first message that needs it, for all revisions at once
 * (`whole.ts`): many servers have nothing but tools, and few clients are ever asked.
 */
import { Late } from "../base/late.ts";
import { isPromise } from "../base/maybe-promise.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import { core } from "./core.ts";
import type { Defaults } from "./defaults.ts";
import type { Revision } from "./revision.ts";
import type { MessageKind, Reading } from "./revision-messages.ts";
import type { Rewrites } from "./rewrites.ts";
import type { Checks } from "./shape.ts";

export interface Vocabulary {
  readonly revisions: Readonly<Record<ProtocolVersion, Revision>>;
  readonly rewrites: Rewrites;
  /** What a message may have left out, by method. */
  readonly defaults: Readonly<Record<MessageKind, Defaults>>;
  /** How results are read that ask something; late. */
  readonly readQuestions?: (checks: Checks) => Reading;
}

const late: Late<Vocabulary> = /* @__PURE__ */ new Late(async () => (await import("./whole.ts")).whole);

export function vocabulary(): Vocabulary {
  return late.loaded ?? core;
}

/** From now on every codec goes by `whole`, those that are in use as well. */
export function adopt(whole: Vocabulary): void {
  late.loaded = whole;
}

/** Undefined once nothing is left to load. Rejects where the program was not installed whole; whoever comes next tries again. */
export function loadWhole(): Promise<unknown> | undefined {
  const whole = late.get();
  return isPromise(whole) ? whole : undefined;
}
