/**
 * Task ids as clients of a gateway see them: they name the server and its own id, and are signed for one principal.
 *
 * Nothing is kept: any gateway with the keys reads them, also after a restart. Equal tasks have equal ids, because clients compare them.
 */
import { fromBase64Url, toBase64Url } from "../../base/bytes.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { SealingKey } from "../../session/asking/options.ts";

/** A task of a server. */
export interface TaskName {
  readonly server: string;
  /** As its server names it. */
  readonly id: string;
}

/** Characters of the longest id that is read. */
const MAX_LENGTH = 8_192;
const PURPOSE = "mcp-gateway-task/v1";
const HMAC = { name: "HMAC", hash: "SHA-256" };

export class TaskHandles {
  readonly #secrets: readonly SealingKey[] | undefined;
  readonly #audience: string;
  #keys: Promise<readonly CryptoKey[]> | undefined;

  /** @param secrets the first signs, all are accepted; undefined: a random one, so that ids end with the process */
  constructor(secrets: readonly SealingKey[] | undefined, audience: string) {
    this.#secrets = secrets;
    this.#audience = audience;
  }

  /** @param principal who may use it; undefined for callers without a name */
  async make({ server, id }: TaskName, principal: string | undefined): Promise<string> {
    const named = toBase64Url(new TextEncoder().encode(JSON.stringify([server, id])));
    const [key] = await this.#imported();
    const signature = await crypto.subtle.sign(HMAC, key!, this.#signed(named, principal));
    return `task.${named}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** @throws McpError -32602, the same for every fault */
  async read(handle: unknown, principal: string | undefined): Promise<TaskName> {
    const [kind, named, signature, ...rest] = typeof handle === "string" && handle.length <= MAX_LENGTH ? handle.split(".") : [];
    const bytes = fromBase64Url(signature ?? "");
    if (kind !== "task" || named === undefined || bytes === undefined || rest.length > 0) throw unknownTaskError();
    const signed = this.#signed(named, principal);
    const valid = await Promise.all((await this.#imported()).map((key) => crypto.subtle.verify(HMAC, key, bytes, signed)));
    if (!valid.includes(true)) throw unknownTaskError();
    const [server, id] = JSON.parse(new TextDecoder().decode(fromBase64Url(named))) as [string, string]; // authentic: a gateway with the key wrote it
    return { server, id };
  }

  #signed(named: string, principal: string | undefined): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(JSON.stringify([PURPOSE, this.#audience, principal ?? null, named]));
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
