/** A skill whose `SKILL.md` was read and checked. It reads the other files of the skill. */
import type { CallOptions } from "../../client/call/outgoing-request.ts";
import { decodeUtf8 } from "../../base/bytes.ts";
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ServerCapabilities } from "../../protocol/capabilities.ts";
import type { ReadResourceResult } from "../../protocol/resources.ts";
import { parseManifest } from "./frontmatter.ts";
import { canonicalUri, resolveInSkill, skillFolderOf } from "./skill-uri.ts";
import type { Skill, SkillFile } from "./skill.ts";
import { SkillVerificationError, verifyFile, verifyFrontmatter } from "./verification.ts";

/** The client that reads skills: a `Client`, a `ClientSession`, or an object that forwards to one. */
export interface SkillClient {
  /** What the server declared. A server with skills names the extension in `extensions`. */
  readonly serverCapabilities: ServerCapabilities;
  /** Sends a request. */
  request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /** Reads a file. */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
}

/** A file of a skill that was read. */
export interface SkillFileContents {
  /** The URI of the file, in canonical spelling. */
  readonly uri: string;
  /** The media type that the server declares. */
  readonly mimeType?: string;
  /** Exactly the bytes that the digest covers. */
  readonly bytes: Uint8Array;
  /** The bytes as text, if they are UTF-8. */
  readonly text?: string;
  /** Whether size and digest were checked. False for `"dynamic"` skills only, which list none. */
  readonly verified: boolean;
}

/** A skill that was approved, read and checked. Made by `SkillHost.load`. */
export class LoadedSkill {
  /** The server's entry. */
  readonly skill: Skill;
  /** The Markdown of `SKILL.md` below the frontmatter. Security: this is text of the server; tell the model where it comes from. */
  readonly body: string;
  readonly #client: SkillClient;

  private constructor(client: SkillClient, skill: Skill, body: string) {
    this.#client = client;
    this.skill = skill;
    this.body = body;
  }

  /** @internal Reads and checks `SKILL.md`. @throws SkillVerificationError */
  static async open(client: SkillClient, skill: Skill, options: CallOptions | undefined): Promise<LoadedSkill> {
    const { text } = await readFile(client, skill, canonicalUri(skill.uri)!, options); // `assertSkill` has checked it
    const { frontmatter, body } = manifestOf(skill.uri, text);
    verifyFrontmatter(skill.uri, skill.frontmatter, frontmatter);
    return new LoadedSkill(client, skill, body);
  }

  /**
   * Reads another file of the skill and checks it.
   * @param reference a path relative to the skill's folder, such as `references/FORMS.md`, or the URI of a file in it
   * @throws SkillVerificationError `unlisted` (then no request is sent), `size` or `digest`; McpError the server's error
   */
  read(reference: string, options?: CallOptions): Promise<SkillFileContents> {
    const { skill } = this;
    const uri = resolveInSkill(skillFolderOf(skill.uri)!, reference);
    if (uri === undefined) return Promise.reject(new SkillVerificationError("unlisted", reference, "it is not inside the skill"));
    if (uri !== canonicalUri(skill.uri) && uri.endsWith("/SKILL.md"))
      return Promise.reject(
        new SkillVerificationError("unlisted", uri, "a skill inside a skill is loaded by its own URI, so that it is approved by itself"),
      );
    return readFile(this.#client, skill, uri, options);
  }
}

function manifestOf(uri: string, text: string | undefined): ReturnType<typeof parseManifest> {
  try {
    return parseManifest(text ?? "");
  } catch (error) {
    throw new SkillVerificationError("frontmatter", uri, (error as Error).message); // a SyntaxError
  }
}

/** @param uri canonical */
async function readFile(client: SkillClient, skill: Skill, uri: string, options: CallOptions | undefined): Promise<SkillFileContents> {
  const { resources } = skill;
  const listed = resources === "dynamic" ? undefined : listedFile(resources, uri);
  const { contents } = await client.readResource(listed?.uri ?? uri, options);
  const [content] = contents;
  if (content === undefined || contents.length > 1)
    throw new ProtocolViolationError(`The server returned ${contents.length} contents for the one file ${uri}`);
  const bytes = "text" in content ? new TextEncoder().encode(content.text) : fromBase64(content.blob);
  if (listed !== undefined) await verifyFile(listed, bytes);
  const text = "text" in content ? content.text : textOf(bytes);
  const { mimeType } = content;
  return { uri, bytes, verified: listed !== undefined, ...(text !== undefined && { text }), ...(mimeType !== undefined && { mimeType }) };
}

/** @throws SkillVerificationError `unlisted` */
function listedFile(files: readonly SkillFile[], uri: string): SkillFile {
  const file = files.find((one) => canonicalUri(one.uri) === uri);
  if (file === undefined) throw new SkillVerificationError("unlisted", uri, "the server's entry does not list it");
  return file;
}

function fromBase64(blob: string): Uint8Array {
  const binary = atob(blob);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decodeUtf8([bytes]);
  } catch {
    return undefined;
  }
}
