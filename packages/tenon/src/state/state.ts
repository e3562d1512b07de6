/**
 * `state()`: a value that handlers keep between calls, of a user, of one program of a user, or of a session.
 *
 * It is the same on every revision and transport. What is stored is what the schema took, and each reading goes through the schema
 * again: so defaults and transforms are the reader's, also after the program was changed.
 */
import { assertKnown } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { compileCheck, type SchemaCheck } from "../schema/compile.ts";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
import { describeIssues, type AnySchema, type InferInput, type InferOutput, type WholeSchemas } from "../schema/standard-schema.ts";
import { toJsonValue } from "../session/asking/questions/step-value.ts";
import type { RequestContext } from "../session/request-context.ts";
import { forget } from "./forget.ts";
import { checkLimits, checkTtl, defaultTtl, stateOptionKeys, type StateOptions } from "./options.ts";
import { ownerOf, type StatePer, type UserName } from "./owner.ts";
import { Shelf, type Change, type KeptText } from "./shelf.ts";
import { storeFor } from "./stores.ts";

/** A value, and the name of exactly this value. */
export interface StateEntry<Value> {
  /** The value, as the schema returns it. Each reading has its own copy. */
  readonly value: Value;
  /** For `set`: names this value. It never comes back. */
  readonly version: string;
}

/** What {@link state} returns: the values of all owners, of which a handler sees the one of its caller. */
export interface State<Value, Input = Value> {
  /** The value; undefined if there is none. @throws as {@link State.read} */
  get(context: RequestContext): Promise<Value | undefined>;
  /**
   * The value with its version; undefined if there is none.
   * @throws McpUsageError if nothing tells whose it is; McpError -32603 with `data.reason` `"stateInvalid"` if the schema refuses what is stored
   */
  read(context: RequestContext): Promise<StateEntry<Value> | undefined>;
  /**
   * Changes the value. `change` gets what is there, and is called again if another call has changed it meanwhile: so no change is lost, and
   * `change` must do nothing else. @returns the new value
   * @throws TypeError if the schema refuses the new value, or `change` returns none; LimitExceededError; and as {@link State.read}
   */
  update(context: RequestContext, change: (value: Value | undefined) => MaybePromise<Input>): Promise<Value>;
  /**
   * Stores a value: with `version` only in place of exactly that one, or with `version: null` only if there is none. Without it whatever is there is replaced.
   * @throws StateConflictError if there is another; TypeError if the schema refuses the value; LimitExceededError; McpUsageError
   */
  set(context: RequestContext, value: Input, options?: { readonly version?: string | null }): Promise<StateEntry<Value>>;
  /** Removes the value, with `version` only exactly that one. False if there was none. @throws StateConflictError if there is another; McpUsageError */
  delete(context: RequestContext, options?: { readonly version?: string }): Promise<boolean>;
  /** Removes all that is kept of a user, in this state and all others of its store: see {@link forget}. */
  forget(user: UserName): Promise<void>;
}

/** Another call has changed the value. Read it again. JSON-RPC -32603 with `data.reason` `"stateConflict"`. */
export class StateConflictError extends McpError {
  override name = "StateConflictError";

  /** @param name the state's */
  constructor(name: string) {
    super(ErrorCode.InternalError, `State "${name}" was changed meanwhile: read it again`, { reason: "stateConflict" });
  }
}

const NAME = /^[\w.-]{1,64}$/;

/**
 * A value that handlers keep between calls, under a name.
 *
 * @throws RangeError if the name is not 1 to 64 of `A-Za-z0-9_.-`, or a number is out of range; TypeError if an option has a wrong name or the schema cannot be used
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { McpServer } from "tenon/server";
 * import { state } from "tenon/state";
 * import * as z from "zod";
 *
 * const cart = state("cart", { schema: z.array(z.string()), per: "user", ttl: 86_400_000 });
 * const server = new McpServer({ name: "shop", version: "1.0.0" });
 * server.tool("add", { input: z.object({ item: z.string() }) }, async ({ item }, ctx) => {
 *   const items = await cart.update(ctx, (before = []) => [...before, item]);
 *   return `${items.length} in the cart`;
 * });
 * await using client = await connect(server);
 * await client.callTool("add", { item: "tea" });
 * console.log((await client.callTool("add", { item: "milk" })).text); // 2 in the cart
 * ```
 */
export function state<const Schema extends AnySchema>(
  name: string,
  options: StateOptions<Schema> & WholeSchemas<{ schema: Schema }>,
): State<InferOutput<Schema>, InferInput<Schema>> {
  if (typeof name !== "string" || !NAME.test(name))
    throw new RangeError(`The name of a state must be 1 to 64 of A-Z a-z 0-9 _ . -, not ${JSON.stringify(name)}`);
  assertKnown(`state("${name}")`, options, stateOptionKeys());
  return new SchemaState(name, options) as State<InferOutput<Schema>, InferInput<Schema>>; // the schema has these types
}

class SchemaState implements State<unknown> {
  readonly #name: string;
  readonly #per: StatePer;
  readonly #ttl: number;
  readonly #room: Change["room"];
  readonly #options: StateOptions;
  readonly #schema: SchemaCheck;

  constructor(name: string, options: StateOptions) {
    const { schema, per = "user", ttl = defaultTtl(per), limits, validator = defaultJsonSchemaValidator } = options;
    if (per !== "user" && per !== "session" && per !== "client")
      throw new RangeError(`Option "per" must be "user", "session" or "client", not ${JSON.stringify(per)}`);
    this.#name = name;
    this.#per = per;
    this.#ttl = checkTtl("ttl", ttl);
    const { maxStates, maxBytes } = checkLimits(limits);
    const optionOf = (limit: string): string => `state("${name}").limits.${limit === "maxItems" ? "maxStates" : limit}`;
    this.#room = { maxItems: maxStates, maxBytes, optionOf };
    this.#options = options;
    this.#schema = compileCheck(schema, { what: `schema of state "${name}"`, validator });
  }

  async get(context: RequestContext): Promise<unknown> {
    return (await this.read(context))?.value;
  }

  async read(context: RequestContext): Promise<StateEntry<unknown> | undefined> {
    const { shelf, place } = this.#placeOf(context);
    return this.#entryOf(await shelf.read(place));
  }

  async update(context: RequestContext, change: (value: unknown) => unknown): Promise<unknown> {
    return (await this.#change(context, async (kept) => change((await this.#entryOf(kept))?.value))).value;
  }

  set(context: RequestContext, value: unknown, { version }: { readonly version?: string | null } = {}): Promise<StateEntry<unknown>> {
    return this.#change(context, (kept) => {
      this.#assertVersion(kept, version);
      return value;
    });
  }

  async #change(context: RequestContext, make: (kept: KeptText | undefined) => unknown): Promise<StateEntry<unknown>> {
    const { shelf, place } = this.#placeOf(context);
    let value: unknown;
    const stored = await shelf.change(place, {
      room: this.#room,
      signal: context.signal,
      make: async (before) => {
        const { text } = await this.#checked(await make(before), (checked) => (value = checked));
        return { text, ms: this.#ttl };
      },
    });
    return { value, version: stored!.version }; // a value was stored
  }

  async delete(context: RequestContext, { version }: { readonly version?: string } = {}): Promise<boolean> {
    const { shelf, place } = this.#placeOf(context);
    let isThere = false;
    const make = (kept: KeptText | undefined): "remove" => {
      this.#assertVersion(kept, version);
      isThere = kept !== undefined;
      return "remove";
    };
    await shelf.change(place, { room: this.#room, signal: context.signal, make });
    return isThere;
  }

  forget(user: UserName): Promise<void> {
    return forget(user, this.#options.store && { store: this.#options.store });
  }

  #placeOf(context: RequestContext): { readonly shelf: Shelf; readonly place: string } {
    const { user, part } = ownerOf(context, this.#per, `State "${this.#name}"`);
    return { shelf: new Shelf(storeFor(context, this.#options.store), user), place: `${this.#name} ${part}` };
  }

  #assertVersion(kept: KeptText | undefined, version: string | null | undefined): void {
    if (version !== undefined && version !== (kept?.version ?? null)) throw new StateConflictError(this.#name);
  }

  async #entryOf(kept: KeptText | undefined): Promise<StateEntry<unknown> | undefined> {
    if (kept === undefined) return undefined;
    const checked = await this.#schema.validate(JSON.parse(kept.text));
    if (checked.issues === undefined) return { value: checked.value, version: kept.version };
    const cause = new Error(describeIssues(checked.issues));
    throw new McpError(
      ErrorCode.InternalError,
      `What is stored of state "${this.#name}" does not fit its schema any more`,
      { reason: "stateInvalid" },
      { cause },
    );
  }

  /** The value as JSON. @param seen called with what the schema makes of it @throws TypeError if the schema refuses it; McpUsageError if JSON would change it */
  async #checked(value: unknown, seen: (output: unknown) => void): Promise<{ readonly text: string }> {
    const what = `state "${this.#name}"`;
    const { text, value: copy } = toJsonValue(what, value);
    if (text === undefined) throw new TypeError(`The new value of ${what} is undefined: return the value, or call delete() to remove it`);
    const checked = await this.#schema.validate(copy);
    if (checked.issues !== undefined)
      throw new TypeError(`The new value of ${what} does not fit its schema: ${describeIssues(checked.issues)}`);
    seen(checked.value);
    return { text };
  }
}
