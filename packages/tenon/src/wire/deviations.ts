/**
 * What a peer's message has that its revision does not allow, and that is read nevertheless.
 *
 * `mending.ts` finds deviations and the codec passes them to a `Reading`, which belongs to a connection. Nothing is ever written so.
 */

/** How a message deviates from its revision, and how it is read. */
export type DeviationKind =
  /** An optional member is null; it is read as absent. A list, capabilities or a program that must be there and is null is read as empty, or as `unknown`. */
  | "null"
  /** An empty list in the place of an object; it is read as `{}`. */
  | "empty-list"
  /** An empty object in the place of a list; it is read as `[]`. */
  | "empty-object"
  /** `true` or `false` in the place of a schema that must be an object; they are read as `{}` and `{ "not": {} }`. */
  | "boolean-schema"
  /** The schema of a tool's arguments or structured content without a `type`; it is read as a schema of objects. */
  | "untyped-schema"
  /** `true` or `false` in the place of a capability; it is read as `{}`, or as absent. */
  | "boolean-capability"
  /** A tool result without `content` beside its `structuredContent`; it is read as `[]`. */
  | "missing-content"
  /** One item, or a text for a block, in the place of a list of blocks; it is read as that list. */
  | "single"
  /** An empty cursor on a revision with sessions; it is read as the end of the list. */
  | "empty-cursor"
  /** A page of a list that came before; the list ends there. */
  | "repeated-page"
  /** An entry of a list, or structured content or an output schema, that cannot be read; the message is read without it. */
  | "left-out"
  /** A question that the revision does not have; it is answered as a newer revision asks it. */
  | "newer-question"
  /** Over HTTP, a message whose `Content-Type` is missing or another one; it is read as what it is. */
  | "media-type"
  /** Over HTTP, a message in an event that has another name or no end; it is read as an event with that message. */
  | "event"
  /** Over HTTP, a response with an id that no request has; it is read as the response to the request of its POST. */
  | "response-id"
  /** An answer to the handshake that names an unknown older revision; the nearest one is spoken. */
  | "old-revision";

/** One deviation of one message. */
export interface Deviation {
  /** How the message deviates, and so how it is read. */
  kind: DeviationKind;
  /** The method of the request or notification to which the message belongs; absent if the message does not say it. */
  method?: string;
  /** Where it is in the message: `result.tools[0].title`. */
  path: string;
  /** One sentence for people: where, and what is wrong. It holds no value of the message except names. */
  message: string;
}

/** What one connection does with messages that deviate. */
export interface Reading {
  /** Whether a message that deviates is refused. */
  readonly strict: boolean;
  /** Called with each deviation of a message that is read. Must not throw. */
  deviated(deviation: Deviation): void;
}

/** The deviations of one message while it is read. */
export class Findings {
  readonly deviations: Deviation[] = [];
  /** Whether entries of lists may be left out. */
  readonly leavesOut: boolean;
  readonly #root: string;
  readonly #method: string | undefined;

  /** @param root `params` or `result` */
  constructor(root: string, method: string | undefined, leavesOut: boolean) {
    this.#root = root;
    this.#method = method;
    this.leavesOut = leavesOut;
  }

  /** @param path from the root: `.tools[0].title` */
  add(kind: DeviationKind, path: string, what: string): void {
    this.#push(kind, path, `${this.#root}${path} ${what}`);
  }

  #push(kind: DeviationKind, path: string, message: string): void {
    this.deviations.push({ kind, ...(this.#method !== undefined && { method: this.#method }), path: `${this.#root}${path}`, message });
  }

  /** An entry that is left out is reported by its name. @param problem why it cannot be read, beginning with its path */
  leaveOut(path: string, name: string | undefined, problem: string): void {
    const which = name === undefined ? "an entry" : JSON.stringify(name.slice(0, MAX_NAME));
    const of = this.#method === undefined ? "" : ` of "${this.#method}"`;
    this.#push("left-out", path, `${which} is left out: Malformed ${this.#root}${of}: ${this.#root}${problem}`.slice(0, MAX_MESSAGE));
  }
}

/** Longest name and longest sentence, in UTF-16 code units: a peer has written a part of them. */
const MAX_NAME = 200;
const MAX_MESSAGE = 500;

/** Reads leniently, and reports nothing: for a place that reads a message which is read again, or was. */
export const LENIENT: Reading = { strict: false, deviated: () => undefined };

/** Reads strictly, and reports nothing. */
export const STRICT: Reading = { strict: true, deviated: () => undefined };
