/**
 * The messages of one revision: which there are, whether one is well-formed, and how one leaves. Everything is compiled
 * when it is first needed: a server that never sees a prompt never compiles one.
 */
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { methodsOf, type MethodRow } from "../protocol/methods.ts";
import { LATEST_HANDSHAKE_VERSION, LATEST_PROTOCOL_VERSION, type ProtocolVersion } from "../protocol/versions.ts";
import { Projections, type Projection } from "./projection.ts";
import { entryOf, type ShapeKind } from "./revision.ts";
import { Checks, type Check } from "./shape.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** How a message is read: what is wrong with it, and what it may have left out. */
export interface Reading {
  readonly check: Check;
  readonly fill: ((value: JsonObject) => JsonObject) | undefined;
}

/** Undefined for methods that the revision does not have. */
type ByMethod<Compiled> = (method: string) => Compiled | undefined;

export interface RevisionMessages {
  readonly methods: ReadonlyMap<string, MethodRow>;
  readonly checks: Checks;
  readonly projections: Projections;
  readonly readParams: ByMethod<Reading>;
  readonly readResult: ByMethod<Reading>;
  readonly writeParams: ByMethod<Projection>;
  readonly writeResult: ByMethod<Projection>;
  readonly readQuestions: () => Reading;
  readonly writeQuestions: () => Projection | undefined;
  /** Whether the shapes of a request come late, and are not there yet (`vocabulary.ts`). */
  readonly lacks: (method: string, params: JsonObject | undefined) => boolean;
}

/** Members that no result of a stateful revision may carry. */
const STATELESS_ONLY = ["resultType", "ttlMs", "cacheScope"];

export function messagesOf(version: ProtocolVersion, vocabulary: Vocabulary): RevisionMessages {
  const { revisions, rewrites, paramsDefaults, resultDefaults, readQuestions } = vocabulary;
  const revision = revisions[version];
  const methods = methodsOf(version);
  const checks = new Checks((name) => entryOf(revision, "types", name));
  // What any revision has, the last stateful one or the newest has.
  const widest = [revisions[LATEST_HANDSHAKE_VERSION], revisions[LATEST_PROTOCOL_VERSION]];
  const projections = new Projections(revision, widest, checks, rewrites);
  const entry = (kind: ShapeKind, name: string): string => entryOf(revision, kind, name) ?? missing(name);
  // Only methods of this revision are looked up: shapes are inherited from older ones even where the method is gone or
  // an extension's own by now, and names a peer makes up must not fill the maps.
  const byMethod = <Compiled>(compile: (method: string) => Compiled): ByMethod<Compiled> => {
    const known = new Map<string, Compiled>();
    return (method) => {
      let compiled = known.get(method);
      if (compiled === undefined && methods.has(method)) known.set(method, (compiled = compile(method)));
      return compiled;
    };
  };
  const late = byMethod((method) => entryOf(revision, "params", method) === undefined);
  const never = version <= LATEST_HANDSHAKE_VERSION ? STATELESS_ONLY : [];
  return {
    methods,
    checks,
    projections,
    readParams: byMethod((method) => ({ check: checks.entry(entry("params", method)), fill: paramsDefaults.get(method) })),
    readResult: byMethod((method) => ({ check: checks.entry(entry("results", method)), fill: resultDefaults.get(method) })),
    writeParams: byMethod((method) => projections.message(entry("params", method), "params", method)),
    writeResult: byMethod((method) => projections.message(entry("results", method), "results", method, never)),
    readQuestions: () => readQuestions?.(checks) ?? missing(QUESTIONS),
    writeQuestions: () => projections.type(readQuestions ? QUESTIONS : missing(QUESTIONS)),
    lacks: readQuestions ? () => false : (method, params) => params?.["inputResponses"] !== undefined || late(method) === true,
  };
}

const QUESTIONS = "InputRequiredResult";

/** Nothing passes unchecked because its shape is not there. */
function missing(name: string): never {
  throw new McpUsageError(`The shape of "${name}" comes late: await codec.prepare(…) first`);
}
