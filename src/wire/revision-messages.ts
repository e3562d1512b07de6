/**
 * The messages of one revision: which there are, whether one is well-formed, and how one leaves. Everything is compiled
 * when it is first needed: a server that never sees a prompt never compiles one.
 */
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { methodsOf, type MethodRow } from "../protocol/methods.ts";
import { LATEST_HANDSHAKE_VERSION, LATEST_PROTOCOL_VERSION, type ProtocolVersion } from "../protocol/versions.ts";
import { Projections, type Projection } from "./projection.ts";
import { entryOf, type Revision, type ShapeKind } from "./revision.ts";
import { Checks, type Check } from "./shape.ts";
import type { Vocabulary } from "./vocabulary.ts";

export type MessageKind = "params" | "results";

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
  readonly #vocabulary: Vocabulary;
  readonly #revision: Revision;
  readonly #projections: Projections;
  readonly #readings = { params: new Map<string, Reading>(), results: new Map<string, Reading>() };
  readonly #projected = { params: new Map<string, Projection>(), results: new Map<string, Projection>() };

  constructor(version: ProtocolVersion, vocabulary: Vocabulary) {
    const { revisions, rewrites } = vocabulary;
    const revision = revisions[version];
    // What any revision has, the last stateful one or the newest has.
    const widest = [revisions[LATEST_HANDSHAKE_VERSION], revisions[LATEST_PROTOCOL_VERSION]];
    this.methods = methodsOf(version);
    this.checks = new Checks((name) => entryOf(revision, "types", name));
    this.#vocabulary = vocabulary;
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
      reading = { check: this.checks.entry(this.#entry(kind, method)), fill: this.#vocabulary.defaults[kind].get(method) };
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
      const never = kind === "results" && this.#revision.version <= LATEST_HANDSHAKE_VERSION ? STATELESS_ONLY : [];
      known.set(method, (projection = this.#projections.message(this.#entry(kind, method), kind, method, never)));
    }
    return projection(message) as JsonObject; // members are left out, nothing else
  }

  /** What becomes of a value of a type that leaves. */
  writeType<Value extends JsonObject>(name: string, value: Value): Value {
    this.#entry("types", name);
    const projection = this.#projections.type(name);
    return projection ? (projection(value) as Value) : value; // the same neutral type, with members left out
  }

  /** How a result is read that asks something. */
  questions(): Reading {
    return this.#vocabulary.readQuestions?.(this.checks) ?? missing("InputRequiredResult");
  }

  /** Whether the shapes of a method come late, and are not there yet (`vocabulary.ts`). Asked of every request. */
  lacks(method: string): boolean {
    const known = this.#vocabulary.readQuestions ?? this.#readings.params.get(method) ?? this.#projected.params.get(method);
    return known === undefined && this.methods.has(method) && entryOf(this.#revision, "params", method) === undefined;
  }

  #entry(kind: ShapeKind, name: string): string {
    return entryOf(this.#revision, kind, name) ?? missing(name);
  }
}

/** Nothing passes unchecked because its shape is not there. */
function missing(name: string): never {
  throw new McpUsageError(`The shape of "${name}" comes late: await codec.prepare(…) first`);
}
