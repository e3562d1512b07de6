/**
 * Checks that a file is what the server's entry says. A host must not load a file that fails. A digest proves that the file did not
 * change, not that it is safe.
 */
import { sha256Hex } from "../../base/hash.ts";
import { isSameJson } from "../../base/json-values.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { SkillFile, SkillFrontmatter } from "./skill.ts";

/** Why a file of a skill must not be used. */
export type SkillVerificationReason = "unlisted" | "size" | "digest" | "frontmatter";

/** A file is not what its server's entry says. The host must not use the file; if it is `SKILL.md`, it must not use the skill. */
export class SkillVerificationError extends McpError {
  override name = "SkillVerificationError";
  /** Which check failed. */
  readonly reason: SkillVerificationReason;
  /** The file. */
  readonly uri: string;

  /** @param message what differs */
  constructor(reason: SkillVerificationReason, uri: string, message: string) {
    super(ErrorCode.InvalidRequest, `${uri}: ${message}`, { reason, uri });
    this.reason = reason;
    this.uri = uri;
  }
}

/** Compares the size and the digest of a file with the server's entry. @throws SkillVerificationError `size` or `digest` */
export async function verifyFile({ uri, size, digest }: SkillFile, bytes: Uint8Array): Promise<void> {
  if (bytes.byteLength !== size)
    throw new SkillVerificationError("size", uri, `the server sent ${bytes.byteLength} bytes and listed ${size}`);
  const actual = `sha256:${await sha256Hex(bytes)}`;
  if (actual !== digest) throw new SkillVerificationError("digest", uri, `its digest is ${actual}, the server listed ${digest}`);
}

/** Compares two frontmatters member by member; null counts as absent. @throws SkillVerificationError `frontmatter` */
export function verifyFrontmatter(uri: string, listed: SkillFrontmatter, actual: JsonObject): void {
  const keys = new Set([...Object.keys(listed), ...Object.keys(actual)]);
  const different = [...keys].filter((key) => !isSameJson(listed[key] ?? undefined, actual[key] ?? undefined));
  if (different.length === 0) return;
  throw new SkillVerificationError("frontmatter", uri, `SKILL.md and the server's entry differ in ${different.join(", ")}`);
}
