/**
 * Task ids as clients of a gateway see them, and cursors of lists of tasks: they name the server and what it calls the task or the page, and
 * are signed for one principal.
 *
 * Nothing is kept: any gateway with the keys reads them, also after a restart. Equal tasks have equal ids, because clients compare them.
 */
import { fromBase64Url, toBase64Url } from "../../base/bytes.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { RELATED_TASK_META_KEY } from "../../protocol/meta-keys.ts";
import type { SealingKey } from "../../session/asking/options.ts";

export interface TaskName {
  readonly server: string;
  /** As its server names it. */
  readonly id: string;
}

/** Characters of the longest id that is read. */
const MAX_LENGTH = 8_192;
const HMAC = { name: "HMAC", hash: "SHA-256" };

export class TaskHandles {
  readonly #secrets: readonly SealingKey[] | undefined;
  readonly #audience: string;
  readonly #kind: "task" | "page";
  #keys: Promise<readonly CryptoKey[]> | undefined;

  /**
   * @param secrets the first signs, all are accepted; undefined: a random one, so that ids end with the process
   * @param kind what is named: none of one kind is taken for one of the other
   */
  constructor(secrets: readonly SealingKey[] | undefined, audience: string, kind: "task" | "page" = "task") {
    this.#secrets = secrets;
    this.#audience = audience;
    this.#kind = kind;
  }

  /** @param principal who may use it; undefined for callers without a name */
  async make({ server, id }: TaskName, principal: string | undefined): Promise<string> {
    const named = toBase64Url(new TextEncoder().encode(JSON.stringify([server, id])));
    const [key] = await this.#imported();
    const signature = await crypto.subtle.sign(HMAC, key!, this.#signed(named, principal));
    return `${this.#kind}.${named}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** @throws McpError -32602, the same for every fault */
  async read(handle: unknown, principal: string | undefined): Promise<TaskName> {
    const [kind, named, signature, ...rest] = typeof handle === "string" && handle.length <= MAX_LENGTH ? handle.split(".") : [];
    const bytes = fromBase64Url(signature ?? "");
    if (kind !== this.#kind || named === undefined || bytes === undefined || rest.length > 0) throw unknownTaskError();
    const signed = this.#signed(named, principal);
    const valid = await Promise.all((await this.#imported()).map((key) => crypto.subtle.verify(HMAC, key, bytes, signed)));
    if (!valid.includes(true)) throw unknownTaskError();
    const [server, id] = JSON.parse(new TextDecoder().decode(fromBase64Url(named))) as [string, string]; // authentic: a gateway with the key wrote it
    return { server, id };
  }

  /** A result of a server with the ids that the principal sees. */
  async renamed(result: JsonObject, server: string, principal: string | undefined): Promise<JsonObject> {
    const rename = async (task: unknown): Promise<unknown> => {
      if (!isJsonObject(task) || typeof task["taskId"] !== "string") return task;
      return { ...task, taskId: await this.make({ server, id: task["taskId"] }, principal) };
    };
    const { task, tasks, _meta: meta } = result;
    const related = isJsonObject(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
    return {
      ...((await rename(result)) as JsonObject), // an object, as `result` is
      ...(task !== undefined && { task: await rename(task) }),
      ...(Array.isArray(tasks) && { tasks: await Promise.all(tasks.map(rename)) }),
      ...(related !== undefined && { _meta: { ...(meta as JsonObject), [RELATED_TASK_META_KEY]: await rename(related) } }),
    };
  }

  #signed(named: string, principal: string | undefined): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(JSON.stringify([`mcp-gateway-${this.#kind}/v1`, this.#audience, principal ?? null, named]));
  }

  /** A random key is made at its first use: some runtimes have no randomness while modules load. */
  #imported(): Promise<readonly CryptoKey[]> {
    const secrets = (): readonly SealingKey[] => this.#secrets ?? [crypto.getRandomValues(new Uint8Array(32))];
    return (this.#keys ??= Promise.all(secrets().map(importKey)));
  }
}

function importKey(secret: SealingKey): Promise<CryptoKey> {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : Uint8Array.from(secret);
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign", "verify"]);
}

export function unknownTaskError(): McpError {
  return new McpError(ErrorCode.InvalidParams, "Unknown task");
}
