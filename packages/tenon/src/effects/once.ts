/**
 * The option `once` of a tool: calls with the same key have one result.
 *
 * The first call runs; others wait for it, and end their own wait if they are cancelled. A call that fails leaves its finished steps, which
 * the next run does not repeat. What is promised if a process dies is what a step promises: docs/servers/once.md.
 */
import { randomId } from "../base/bytes.ts";
import { sleep, systemClock } from "../base/clock.ts";
import { hashed } from "../base/hash.ts";
import { waits } from "../base/waits.ts";
import { canonicalExactJson } from "../jsonrpc/exact-numbers.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import { onceShelf } from "../state/forget.ts";
import { clockOf, storeFor } from "../state/stores.ts";
import { UNLIMITED } from "../state/shelf-items.ts";
import { ownKey, type ToolCall, checkOnce, type OnceOptions, type OnceSettings } from "./options.ts";
import { recordIn, type OnceRecord } from "./once-record.ts";
import { LEASE, OnceRun, writeRecord, type OnceEntry } from "./once-run.ts";

const MAX_KEY = 1_024;
const WAITS = { first: 20, longest: 500, jitter: 0.5 };

interface KeyedCall extends ToolCall {
  readonly settings: OnceSettings;
  readonly entry: OnceEntry;
  readonly digest: string;
  /** The same in each round of this call and on each node, and another one for each call. */
  readonly id: string;
}

/** Runs a call, unless its key has a result. @throws what the handler throws; McpError -32602 if the key was used with other arguments */
export async function once(call: ToolCall, options: OnceOptions, run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  const settings = checkOnce(call.name, options);
  const key = keyOf(call, settings);
  if (key === undefined) return run();
  const { context } = call;
  const store = storeFor(context, settings.store);
  const hash = await hashed(canonicalExactJson([ownKey(call), context.principal ?? null, key]));
  const digest = await hashed(canonicalExactJson(context.params["arguments"] ?? {}));
  const id = await context.step(`~once ${ownKey(call).join(" ")}`, randomId);
  const keyed: KeyedCall = { ...call, settings, digest, id, entry: { store, key: `once ${hash}`, ttl: settings.ttl } };
  for (const pauses = waits(WAITS); ;) {
    const turn = await takeTurn(keyed);
    if ("result" in turn) return turn.result;
    if ("held" in turn) return runHeld(keyed, turn.held, run);
    await sleep(systemClock, turn.again ? 0 : pauses.next(), context.signal);
  }
}

/** @throws TypeError if the key is no text of 1 to 1 024 characters */
function keyOf({ name, input, context }: ToolCall, { key }: OnceSettings): string | undefined {
  const value =
    typeof key === "function" ? key(input, context) : (context.params["arguments"] as { [name: string]: unknown } | undefined)?.[key]; // an object, checked by the codec
  if (value === undefined) return undefined;
  if (typeof value === "string" && value !== "" && value.length <= MAX_KEY) return value;
  throw new McpError(ErrorCode.InvalidParams, `The key of "${name}" must be a text of 1 to ${MAX_KEY} characters`);
}

type Turn = { readonly result: CallToolResult } | { readonly held: OnceRun } | { readonly again: boolean };

/** Looks what there is of the key: a result, another run, or nothing in the way of this run. */
async function takeTurn(call: KeyedCall): Promise<Turn> {
  const { store, key } = call.entry;
  const [entry] = [await store.read(key), await clockOf(store).refresh()];
  if (entry === undefined) return hold(call, undefined, { call: crypto.randomUUID(), steps: [] });
  const record = recordIn(entry);
  if (record.digest !== call.digest) throw otherArguments(call.name);
  if (record.result !== undefined) return { result: resultOf(call, record) };
  const { runner } = record;
  const isOthers = runner !== undefined && runner.call !== call.id && runner.until > clockOf(store).now();
  return isOthers ? { again: false } : hold(call, entry.version, record);
}

async function hold(call: KeyedCall, version: string | undefined, { call: id, steps }: Pick<OnceRecord, "call" | "steps">): Promise<Turn> {
  const { context, digest, entry } = call;
  if (version === undefined) await admit(call);
  const runner = { id: randomId(), call: call.id, until: clockOf(entry.store).now() + LEASE };
  const record = { digest, call: id, steps, runner };
  const made = await writeRecord(entry, version, record);
  if (made === undefined) return { again: true };
  return { held: new OnceRun(entry, { record: { ...record, written: "" }, version: made }, (reason) => context.abort(reason)) };
}

/** Counts the key among the keys of its owner. @throws LimitExceededError */
async function admit({ context, entry, settings: { maxKeys, ttl } }: KeyedCall): Promise<void> {
  const room = { maxItems: maxKeys, maxBytes: Infinity, optionOf: () => "once.maxKeys" };
  const make = (): { text: string; ms: number } => ({ text: "1", ms: ttl });
  await onceShelf(entry.store, context).change(entry.key, { room, signal: context.signal, make });
}

async function runHeld(call: KeyedCall, held: OnceRun, run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  const { context, settings, entry } = call;
  const outer = context.stepKeeper;
  context.stepKeeper = held;
  try {
    const made = await run();
    const result = context.questionSource?.clean(made, context.principal) ?? made; // what is kept would be sent unchanged
    if (result.isError === true || (result.resultType ?? "complete") !== "complete") {
      await release(call, held);
      return result;
    }
    const isShort = JSON.stringify(result).length <= settings.maxResult;
    if (await held.finish(isShort ? result : null)) return result;
  } catch (error) {
    await release(call, held).catch(() => undefined);
    throw error;
  } finally {
    context.stepKeeper = outer;
  }
  // Another run has taken the key meanwhile: its result counts.
  const found = await entry.store.read(entry.key);
  const record = found && recordIn(found);
  if (record?.result !== undefined) return resultOf(call, record);
  throw new McpError(ErrorCode.InternalError, "Another process continues this call", { reason: "onceLost", delivery: "unknown" });
}

/** A key that leaves nothing behind makes room for another one. */
async function release({ context, entry }: KeyedCall, held: OnceRun): Promise<void> {
  if (!(await held.release())) return;
  await onceShelf(entry.store, context).change(entry.key, { room: UNLIMITED, signal: new AbortController().signal, make: () => "remove" });
}

function resultOf({ name }: KeyedCall, { result }: OnceRecord): CallToolResult {
  if (result !== null) return result as unknown as CallToolResult; // a run has kept it
  return { content: [{ type: "text", text: `"${name}" was done with this key before. Its result was too long to keep.` }], isError: true };
}

function otherArguments(name: string): McpError {
  const text = `The key of "${name}" was used with other arguments. Use another key for another call, or the same arguments to get the same result`;
  return new McpError(ErrorCode.InvalidParams, text, { reason: "onceMismatch" });
}
