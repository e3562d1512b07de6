/**
 * The codec of every revision. What distinguishes revisions is data (`v….ts`); the code has two families. On stateless revisions
 * each message states its sender and its kind (`envelope.ts`); on stateful ones the connection knows the sender, and results have
 * no kind.
 */
import { ErrorCode, McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import { mendedMembersOf, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import { UnsupportedVersionError } from "../protocol/errors.ts";
import { PROTOCOL_VERSION_KEY } from "../protocol/meta-keys.ts";
import { methodsOf, type MethodKind, type MethodRow } from "../protocol/methods.ts";
import { isStatelessVersion, STATELESS_VERSIONS, type ProtocolVersion } from "../protocol/versions.ts";
import type { ClientIdentity, Codec, EncodeResultOptions, Sender } from "./codec.ts";
import { defaults, fillQuestions } from "./defaults.ts";
import type { Reading } from "./deviations.ts";
import { addIdentity, readIdentity, toCompleteResult, toResultOfType } from "./envelope.ts";
import { invalidParamsError, malformedResultError, toStatefulCode, toStatelessCode, UnreadableResultError } from "./errors.ts";
import { noteEnvelope, readMended, withoutCursor, type Readable } from "./lenient-reading.ts";
import { Mends, type Mend } from "./mending.ts";
import { Projections, type Projection } from "./projection.ts";
import { entryOf, factsOf, type MessageKind, type Revision, type ShapeKind } from "./revision.ts";
import { ShapeChecks, type ShapeCheck } from "./shape.ts";

const NO_OPTIONS: EncodeResultOptions = {};

export class RevisionCodec implements Codec {
  readonly version: ProtocolVersion;
  readonly stateless: boolean;
  readonly acceptsBatches: boolean;
  readonly primesStreams: boolean;
  readonly namesVersionInHeader: boolean;
  readonly hasHttpSse: boolean;
  readonly #visitsPages: boolean;
  readonly #shapes: Shapes;
  /** By method. Shapes are inherited even if the method is gone: this table says which methods exist. */
  readonly #methods: ReadonlyMap<string, Method>;
  /** The method that was looked up last: the next message mostly has it too. */
  #latest: { readonly name?: string; readonly found?: Method } = {};

  /** `widest` are revisions that together have every name of all revisions. */
  constructor(revision: Revision, widest: readonly Revision[]) {
    const facts = factsOf(revision);
    this.version = revision.version;
    this.stateless = isStatelessVersion(revision.version);
    this.acceptsBatches = facts.acceptsBatches;
    this.primesStreams = facts.primesStreams;
    this.namesVersionInHeader = facts.namesVersionInHeader;
    this.hasHttpSse = facts.hasHttpSse;
    this.#visitsPages = facts.visitsPages;
    const shapes = new Shapes(revision, widest);
    this.#shapes = shapes;
    this.#methods = new Map(
      [...methodsOf(revision.version)].map(([name, row]) => [
        name,
        { row, params: new Message(shapes, "params", name), result: new Message(shapes, "results", name) },
      ]),
    );
  }

  #find(method: string): Method | undefined {
    if (method === this.#latest.name) return this.#latest.found;
    const found = this.#methods.get(method);
    if (found !== undefined) this.#latest = { name: method, found };
    return found;
  }

  hasRequest(method: string, sender: Sender): boolean {
    return this.#has("request", method, sender);
  }

  hasNotification(method: string, sender: Sender): boolean {
    return this.#has("notification", method, sender);
  }

  #has(kind: MethodKind, method: string, sender: Sender): boolean {
    const row = this.#find(method)?.row;
    return row?.kind === kind && (row.sender === sender || row.sender === "both");
  }

  decodeParams(method: string, params: JsonObject = {}, reading?: Reading): JsonObject {
    const mended = mendedMembersOf(params);
    if (mended !== undefined) noteEnvelope(mended, method, reading, invalidParamsError);
    const message = this.#find(method)?.params;
    if (message === undefined) return params;
    const problem = message.check(params);
    if (problem === undefined) return message.fill(params);
    return message.fill(readMended(message, { value: params, problem, root: "params", method, reading }, invalidParamsError));
  }

  decodeIdentity(params: JsonObject | undefined, reading?: Reading): ClientIdentity | undefined {
    if (!this.stateless) return undefined;
    let meta = params?.["_meta"];
    const problem = this.#shapes.checks.type("RequestMetaObject")(meta);
    if (problem !== undefined) {
      const type = this.#shapes.typeOf("RequestMetaObject");
      meta = readMended(type, { value: meta, problem, root: "params", path: "._meta", method: undefined, reading }, invalidParamsError);
    }
    const requested = (meta as JsonObject)[PROTOCOL_VERSION_KEY] as string; // checked just now
    if (requested !== this.version) throw new UnsupportedVersionError(STATELESS_VERSIONS, requested);
    const identity = readIdentity(meta as JsonObject);
    return problem === undefined ? identity : { ...identity, meta: meta as JsonObject };
  }

  decodeResult(method: string, result: JsonObject, extensionTypes?: ReadonlySet<string>, reading?: Reading): JsonObject {
    const known = this.#find(method);
    // Answers have no type, and neither have results of stateful revisions.
    const type = this.stateless && known?.row.kind !== "input" ? (result["resultType"] ?? "complete") : "complete";
    if (type === "input_required" && known?.row.mayAsk) return this.#decodeQuestions(method, result, reading);
    const refuse = (problem: string): McpError => malformedResultError(method, problem);
    const mended = mendedMembersOf(result);
    if (mended !== undefined) noteEnvelope(mended, method, reading, refuse);
    if (type !== "complete") {
      if (typeof type === "string" && extensionTypes?.has(type)) return result;
      throw refuse(`.resultType ${JSON.stringify(type)} is not one this request can have`);
    }
    if (known === undefined) return result;
    const problem = known.result.check(result);
    const read =
      problem === undefined ? result : readMended(known.result, { value: result, problem, root: "result", method, reading }, refuse);
    const isLast = !this.stateless && read["nextCursor"] === "" && reading !== undefined;
    return known.result.fill(isLast ? withoutCursor(read, method, reading, refuse) : read);
  }

  tidyResult(method: string, result: JsonObject, reading: Reading): JsonObject {
    try {
      return this.decodeResult(method, result, undefined, reading);
    } catch (error) {
      if (reading.strict) throw error;
      return result;
    }
  }

  #decodeQuestions(method: string, result: JsonObject, reading: Reading | undefined): JsonObject {
    const type = this.#shapes.typeOf("InputRequiredResult");
    const problem = type.check(result);
    const refuse = (why: string): McpError => malformedResultError(method, why);
    const read = problem === undefined ? result : readMended(type, { value: result, problem, root: "result", method, reading }, refuse);
    if (read["inputRequests"] === undefined && read["requestState"] === undefined) {
      throw refuse(" has neither inputRequests nor requestState");
    }
    return fillQuestions(read);
  }

  encodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined {
    const message = this.#find(method)?.params;
    return params && message ? message.project(params) : params;
  }

  encodeRequest(method: string, params: JsonObject | undefined, from: ClientIdentity): JsonObject | undefined {
    const encoded = this.encodeParams(method, params);
    return this.stateless ? addIdentity(this, encoded, from) : encoded;
  }

  encodeResult(method: string, result: JsonObject, { server, check }: EncodeResultOptions = NO_OPTIONS): JsonObject {
    const known = this.#find(method);
    const isAnswer = known?.row.kind === "input"; // answers have no type
    const type = isAnswer ? "complete" : (result["resultType"] ?? "complete");
    if (type !== "complete") return this.#encodeIncomplete(type, result, server);
    let encoded = known ? known.result.project(result) : result;
    if (check && known) encoded = checkOutgoingResult(method, known.result, encoded);
    return isAnswer || !this.stateless ? encoded : toCompleteResult(encoded, server, known?.row.cacheable === true);
  }

  /** Encodes a result that contains questions, or one of an extension. */
  #encodeIncomplete(type: unknown, result: JsonObject, server: Implementation | undefined): JsonObject {
    if (!this.stateless) throw new McpError(ErrorCode.InternalError, `${this.version} has no results of type ${JSON.stringify(type)}`);
    const encoded = type === "input_required" ? this.#encodeType("InputRequiredResult", result) : result;
    return toResultOfType(type, encoded, server);
  }

  encodeError(error: McpError): ErrorData {
    const data = error.toErrorData();
    const code = this.stateless ? toStatelessCode(data.code) : toStatefulCode(data.code, this.#visitsPages);
    return code === data.code ? data : { ...data, code };
  }

  encodeClientCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
    return this.#encodeType("ClientCapabilities", capabilities);
  }

  encodeImplementation(info: Implementation): Implementation {
    return this.#encodeType("Implementation", info);
  }

  #encodeType<Value extends JsonObject>(name: string, value: Value): Value {
    const projection = this.#shapes.projections.type(name);
    return projection ? (projection(value) as Value) : value; // the same neutral type, with members left out
  }
}

/**
 * Checks a result of this process as its reader would, and returns it with the lists that it left out. A result that does not fit
 * may fit as JSON, where a `URL` is a string.
 * @throws UnreadableResultError
 */
function checkOutgoingResult(method: string, message: Message, result: JsonObject): JsonObject {
  if (method === "tools/call" && isOneText(result)) return result;
  const filled = message.fill(result);
  const problem = message.check(filled) && message.check(JSON.parse(JSON.stringify(filled)));
  if (problem) throw new UnreadableResultError(`result${problem}`);
  return filled;
}

/** Whether a result is of the most frequent kind, a single text block; that is recognised without its shape. */
function isOneText({ content, isError, _meta }: JsonObject): boolean {
  if (!Array.isArray(content) || content.length !== 1 || isError !== undefined || _meta !== undefined) return false;
  const { type, text, annotations, _meta: own } = (content[0] ?? {}) as JsonObject; // safe for any value: only members are read
  return type === "text" && typeof text === "string" && annotations === undefined && own === undefined;
}

/** Types that differ in one member, which some peers write as null in the other one. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  TextResourceContents: "BlobResourceContents",
  BlobResourceContents: "TextResourceContents",
};

/** What the messages of one revision are compiled from. */
class Shapes {
  readonly revision: Revision;
  readonly checks: ShapeChecks;
  readonly projections: Projections;
  readonly #widest: readonly Revision[];
  #mends: Mends | undefined;

  constructor(revision: Revision, widest: readonly Revision[]) {
    this.revision = revision;
    this.#widest = widest;
    this.checks = new ShapeChecks(
      (name) => entryOf(revision, "types", name),
      (name) => this.others("types", name),
    );
    this.projections = new Projections(revision, widest, this.checks);
  }

  /** Made for the first message that deviates. */
  get mends(): Mends {
    return (this.#mends ??= new Mends(
      (name) => entryOf(this.revision, "types", name),
      (name) => this.others("types", name),
      this.checks,
    ));
  }

  /** What the widest revisions have under a name, and what the other alternative of a union has. */
  others(kind: ShapeKind, name: string): string[] {
    const elsewhere = this.#widest.flatMap((other) => (other === this.revision ? [] : (entryOf(other, kind, name) ?? [])));
    const alternative = kind === "types" ? ALTERNATIVES[name] : undefined;
    return alternative === undefined ? elsewhere : [...elsewhere, entryOf(this.revision, kind, alternative)!]; // every revision has both
  }

  /** A type by its name, for reading. */
  typeOf(name: string): Readable {
    return { check: this.checks.type(name), mend: this.mends.type(name) };
  }
}

/** A method of one revision: its row of the method table, its params and its result. */
interface Method {
  readonly row: MethodRow;
  readonly params: Message;
  readonly result: Message;
}

/** A message of one revision. Its shape is compiled when it is first needed: a server that never sees a prompt never compiles one. */
class Message {
  readonly #shapes: Shapes;
  readonly #kind: MessageKind;
  readonly #method: string;
  readonly #fill: ((value: JsonObject) => JsonObject) | undefined;
  #check: ShapeCheck | undefined;
  #mend: Mend | undefined;
  /** Null until it is known whether there is one. */
  #projection: Projection | undefined | null = null;

  constructor(shapes: Shapes, kind: MessageKind, method: string) {
    this.#shapes = shapes;
    this.#kind = kind;
    this.#method = method;
    this.#fill = defaults[kind].get(method);
  }

  /** What is wrong with a message; undefined if it fits. */
  check(value: unknown): string | undefined {
    const { checks } = this.#shapes;
    this.#check ??= checks.entry(this.#entry(), this.#shapes.others(this.#kind, this.#method));
    return this.#check(value);
  }

  readonly mend: Mend = (value, path, findings) => {
    this.#mend ??= this.#shapes.mends.entry(this.#entry(), this.#shapes.others(this.#kind, this.#method));
    return this.#mend(value, path, findings);
  };

  #entry(): string {
    return entryOf(this.#shapes.revision, this.#kind, this.#method)!; // every method has its shapes
  }

  /** The message with the lists that its sender left out. */
  fill(value: JsonObject): JsonObject {
    return this.#fill === undefined ? value : this.#fill(value);
  }

  /** The message without what the revision does not have. */
  project(value: JsonObject): JsonObject {
    if (this.#projection === null) this.#projection = this.#shapes.projections.message(this.#kind, this.#method);
    return this.#projection === undefined ? value : (this.#projection(value) as JsonObject); // members are left out, nothing else
  }
}
