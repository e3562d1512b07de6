/**
 * The messages of one revision: which there are, whether one is well-formed, and how one leaves.
 *
 * This is what the stateful and the stateless codec have in common. Everything is compiled when it is first needed:
 * a server that never sees a prompt never compiles one.
 */
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { methodsOf, type MethodKind, type MethodRow } from "../protocol/methods.ts";
import type { Sender } from "./codec.ts";
import { paramsDefaults } from "./defaults.ts";
import { Projections, type Projection } from "./projection.ts";
import { entryOf, type Revision } from "./revision.ts";
import { Checks, type Check } from "./shape.ts";
import { widest } from "./widest.ts";

/** Longest explanation of what is wrong with a message, in UTF-16 code units: it may quote what the peer sent. */
const MAX_EXPLANATION = 500;

export class RevisionMessages {
  readonly methods: ReadonlyMap<string, MethodRow>;
  readonly #revision: Revision;
  readonly #checks: Checks;
  readonly #projections: Projections;
  readonly #neverInResults: readonly string[];
  readonly #params = new Map<string, Check | undefined>();
  readonly #results = new Map<string, Check | undefined>();
  readonly #outgoingParams = new Map<string, Projection | undefined>();
  readonly #outgoingResults = new Map<string, Projection | undefined>();

  /** `neverInResults` are members that no result of this revision may carry. */
  constructor(revision: Revision, neverInResults: readonly string[] = []) {
    this.#revision = revision;
    this.methods = methodsOf(revision.version);
    this.#checks = new Checks((name) => entryOf(revision, "types", name));
    this.#projections = new Projections(revision, widest, this.#checks);
    this.#neverInResults = neverInResults;
  }

  has(kind: MethodKind, method: string, sender: Sender): boolean {
    const row = this.methods.get(method);
    return row?.kind === kind && (row.sender === sender || row.sender === "both");
  }

  /** Absent params are empty params. @throws McpError -32602 */
  decodeParams(method: string, params: JsonObject = {}): JsonObject {
    const problem = (this.#params.get(method) ?? this.#once(this.#params, method, () => this.#check("params", method)))?.(params);
    if (problem !== undefined) throw invalidParams(problem);
    const fill = paramsDefaults.get(method);
    return fill && this.methods.has(method) ? fill(params) : params;
  }

  /** @throws ProtocolViolationError */
  checkResult(method: string, result: JsonObject): void {
    const problem = (this.#results.get(method) ?? this.#once(this.#results, method, () => this.#check("results", method)))?.(result);
    if (problem !== undefined) throw malformedResult(method, problem);
  }

  /** What a value of a named type lacks; undefined where it fits. */
  explain(type: string, value: unknown): string | undefined {
    return this.#checks.type(type)(value);
  }

  encodeParams(method: string, params: JsonObject): JsonObject {
    const cache = this.#outgoingParams;
    return apply(cache.get(method) ?? this.#once(cache, method, () => this.#projections.message("params", method)), params);
  }

  encodeResult(method: string, result: JsonObject): JsonObject {
    const cache = this.#outgoingResults;
    return apply(
      cache.get(method) ?? this.#once(cache, method, () => this.#projections.message("results", method, this.#neverInResults)),
      result,
    );
  }

  encodeType<Value extends JsonObject>(type: string, value: Value): Value {
    return apply(this.#projections.type(type), value);
  }

  #check(kind: "params" | "results", method: string): Check | undefined {
    const term = entryOf(this.#revision, kind, method);
    return term === undefined ? undefined : this.#checks.entry(term);
  }

  /**
   * Only methods of this revision are looked up: shapes are inherited from older revisions even where the method is
   * gone or an extension's own by now, and names a peer makes up must not fill the maps.
   */
  #once<Compiled>(cache: Map<string, Compiled | undefined>, method: string, compile: () => Compiled | undefined): Compiled | undefined {
    const compiled = cache.get(method);
    if (compiled !== undefined || !this.methods.has(method) || cache.has(method)) return compiled;
    const fresh = compile();
    cache.set(method, fresh);
    return fresh;
  }
}

// A projection of an object is an object of the same neutral type, with members left out.
function apply<Value extends JsonObject>(projection: Projection | undefined, value: Value): Value {
  return projection ? (projection(value) as Value) : value;
}

/** What is wrong stays on this side, as the cause. */
export function invalidParams(problem: string): McpError {
  return new McpError(ErrorCode.InvalidParams, "Invalid request parameters", "", { cause: explanation("params", problem) });
}

export function malformedResult(method: string, problem: string): ProtocolViolationError {
  const cause = explanation("result", problem);
  return new ProtocolViolationError(`Malformed result of "${method}": ${cause.message}`, { method }, { cause });
}

function explanation(root: string, problem: string): Error {
  return new Error(`${root}${problem}`.slice(0, MAX_EXPLANATION));
}
