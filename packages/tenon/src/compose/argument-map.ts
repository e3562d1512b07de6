/**
 * Translates the arguments of a call to the arguments of the original tool, and the issues of its schema back.
 *
 * An old name means nothing to callers: it cannot set the argument that was renamed or pinned.
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { cloneJson } from "../jsonrpc/clone-json.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { describePath, type SchemaIssue } from "../schema/standard-schema.ts";
import type { RequestContext } from "../session/request-context.ts";
import { isPinned, nameAfter, type Changes } from "./rewrite-schema.ts";
import type { ArgumentChange } from "./types.ts";

type Pin = (context: RequestContext) => unknown;

export class ArgumentMap {
  readonly #changes: Changes;
  readonly #oldNames = new Map<string, string>();
  /** Old names that callers cannot use any more. */
  readonly #unknown = new Set<string>();
  /** Values of arguments that the caller does not pass. */
  readonly #defaults: [name: string, value: unknown][] = [];
  readonly #pins: [name: string, value: unknown][] = [];
  readonly #functions: [name: string, pin: Pin][] = [];

  constructor(changes: Changes) {
    this.#changes = changes;
    for (const [name, change] of changes) this.#add(name, change);
    for (const name of this.#oldNames.keys()) this.#unknown.delete(name);
  }

  #add(name: string, change: ArgumentChange): void {
    if (isPinned(change) || nameAfter(name, change) !== name) this.#unknown.add(name);
    if (typeof change.pin === "function") this.#functions.push([name, change.pin as Pin]); // a value of JSON is no function
    else if (isPinned(change)) this.#pins.push([name, change.pin]);
    else this.#oldNames.set(nameAfter(name, change), name);
    if (change.default !== undefined) this.#defaults.push([name, change.default]);
  }

  /** Whether a pin depends on the request. */
  get hasFunctions(): boolean {
    return this.#functions.length > 0;
  }

  /** The names in `args` that mean nothing any more. */
  unknownIn(args: unknown): readonly string[] {
    return isJsonObject(args) ? Object.keys(args).filter((name) => this.#unknown.has(name)) : [];
  }

  /** The arguments of the original tool, without the pins that are functions. A value that is not an object stays unchanged. */
  toOriginal(args: unknown): unknown {
    if (!isJsonObject(args)) return args;
    const known = Object.entries(args).filter(([name, value]) => !this.#unknown.has(name) && value !== undefined);
    const original = new Map<string, unknown>(known.map(([name, value]) => [this.#oldNames.get(name) ?? name, value]));
    for (const [name, value] of this.#defaults) if (!original.has(name)) original.set(name, cloneJson(value));
    for (const [name, value] of this.#pins) original.set(name, cloneJson(value));
    return Object.fromEntries(original);
  }

  /** The same arguments with the pins that are functions. */
  pinned(args: unknown, context: RequestContext): MaybePromise<unknown> {
    if (!this.hasFunctions || !isJsonObject(args)) return args;
    const values = this.#functions.map(([, pin]) => pin(context));
    const add = (made: readonly unknown[]): unknown => ({
      ...args,
      ...Object.fromEntries(this.#functions.map(([name], index) => [name, made[index]])),
    });
    return values.some((value) => isPromise(value)) ? Promise.all(values).then(add) : add(values);
  }

  /**
   * The issues with the names that the caller knows.
   * @param args the arguments that the caller passed
   * @throws TypeError if a value that the caller did not pass is invalid: callers must not see it
   */
  toCallerIssues(issues: readonly SchemaIssue[], args: unknown): SchemaIssue[] {
    return issues.map((issue) => this.#toCallerIssue(issue, args));
  }

  #toCallerIssue(issue: SchemaIssue, args: unknown): SchemaIssue {
    const [first, ...rest] = issue.path ?? [];
    const old = typeof first === "object" ? first.key : first;
    const change = typeof old === "string" ? this.#changes.get(old) : undefined;
    if (typeof old !== "string" || change === undefined) return issue;
    const name = nameAfter(old, change);
    const passed = isJsonObject(args) && Object.hasOwn(args, name);
    if (isPinned(change) || (change.default !== undefined && !passed))
      throw new TypeError(
        `The ${isPinned(change) ? "pin" : "default"} of the argument "${old}" does not match the tool's schema: ${issue.message}`,
      );
    const renamed = { ...issue, path: [name, ...rest] };
    // Some libraries begin the message with the path.
    const [was, is] = [describePath(issue), describePath(renamed)];
    return issue.message.startsWith(`${was} `) ? { ...renamed, message: `${is}${issue.message.slice(was.length)}` } : renamed;
  }
}
