/**
 * The messages of one revision: which there are, whether one is well-formed, and how one leaves. Everything is compiled
 * when it is first needed: a server that never sees a prompt never compiles one.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import { methodsOf, type MethodRow } from "../protocol/methods.ts";
import { isStatelessVersion } from "../protocol/versions.ts";
import { defaults, fillQuestions } from "./defaults.ts";
import { Projections, type Projection } from "./projection.ts";
import { entryOf, type MessageKind, type Revision } from "./revision.ts";
import { rewrites } from "./rewrites.ts";
import { Checks, type Check } from "./shape.ts";

/** How a message is read: what is wrong with it, and what it may have left out. */
export interface Reading {
  readonly check: Check;
  readonly fill: ((value: JsonObject) => JsonObject) | undefined;
}

/** Members that no result of a stateful revision may carry. */
const STATELESS_ONLY = ["resultType", "ttlMs", "cacheScope"];

export class RevisionMessages {
  readonly methods: ReadonlyMap<string, MethodRow>;
  readonly checks: Checks;
  readonly #revision: Revision;
  readonly #projections: Projections;
  readonly #readings = { params: new Map<string, Reading>(), results: new Map<string, Reading>() };
  readonly #projected = { params: new Map<string, Projection>(), results: new Map<string, Projection>() };

  /** `widest` are revisions that hold between them every name any revision has. */
  constructor(revision: Revision, widest: readonly Revision[]) {
    this.methods = methodsOf(revision.version);
    this.checks = new Checks((name) => entryOf(revision, "types", name));
    this.#revision = revision;
    this.#projections = new Projections(revision, widest, this.checks, rewrites);
  }

  /** How a message that arrives is read; undefined for methods that the revision does not have. */
  reading(kind: MessageKind, method: string): Reading | undefined {
    const known = this.#readings[kind];
    let reading = known.get(method);
    // Only methods of this revision are looked up: shapes are inherited from older ones even where the method is gone or
    // an extension's own by now, and names a peer makes up must not fill the maps.
    if (!reading && this.methods.has(method)) {
      reading = { check: this.checks.entry(this.#entry(kind, method)), fill: defaults[kind].get(method) };
      known.set(method, reading);
    }
    return reading;
  }

  /** What becomes of a message that leaves; it stays what it is where the revision has no such method. */
  write(kind: MessageKind, method: string, message: JsonObject): JsonObject {
    const known = this.#projected[kind];
    let projection = known.get(method);
    if (!projection) {
      if (!this.methods.has(method)) return message;
      const never = kind === "results" && !isStatelessVersion(this.#revision.version) ? STATELESS_ONLY : [];
      known.set(method, (projection = this.#projections.message(this.#entry(kind, method), kind, method, never)));
    }
    return projection(message) as JsonObject; // members are left out, nothing else
  }

  /** What becomes of a value of a type that leaves. */
  writeType<Value extends JsonObject>(name: string, value: Value): Value {
    const projection = this.#projections.type(name);
    return projection ? (projection(value) as Value) : value; // the same neutral type, with members left out
  }

  /** How a result is read that asks something. */
  questions(): Reading {
    const check = this.checks.type("InputRequiredResult");
    return { check: (result) => check(result) ?? asksNothing(result as JsonObject), fill: fillQuestions }; // its shape is right
  }

  /** The table of methods and the shapes belong together. */
  #entry(kind: MessageKind, method: string): string {
    return entryOf(this.#revision, kind, method)!;
  }
}

function asksNothing({ inputRequests, requestState }: JsonObject): string | undefined {
  return inputRequests === undefined && requestState === undefined ? " has neither inputRequests nor requestState" : undefined;
}
