/**
 * `SkillHost`: a client's half of skills. It lists a server's skills, loads those that the user approved, and checks every
 * file against the server's entry before it returns it.
 *
 * One host serves one client: approvals and entries are never shared between servers, also if their URIs are the same. The
 * host reads a file only when its caller asks for it, and never runs what a skill contains.
 */
import type { CallOptions } from "../../client/call/outgoing-request.ts";
import { items } from "../../client/call/pages.ts";
import { McpUsageError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { LoadedSkill, type SkillClient } from "./loaded-skill.ts";
import { canonicalUri } from "./skill-uri.ts";
import { assertSkill, InvalidSkillError, SKILLS_ID, type Skill } from "./skill.ts";

/** Options of {@link SkillHost}. */
export interface SkillHostOptions {
  /**
   * Decides whether a skill may be loaded. Called before its `SKILL.md` is read, and again when its set of files has changed.
   * Security: a skill is text of the server that the model will follow. Show the user the server, the name and the description.
   */
  readonly approve: (skill: Skill) => boolean | Promise<boolean>;
}

/** The result of {@link SkillHost.list}. */
export interface SkillListing {
  /** Entries that follow the rules. */
  readonly skills: readonly Skill[];
  /** Entries that must not be loaded, each with the reason. */
  readonly invalid: readonly InvalidSkillError[];
}

/** A child of a folder of a skill. */
export interface SkillChild {
  /** The URI, without a slash at the end. */
  readonly uri: string;
  /** The last part of the URI, decoded. */
  readonly name: string;
  /** The media type; `inode/directory` for a folder. */
  readonly mimeType?: string;
}

/**
 * Lists, loads and checks the skills of one server.
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { SkillHost, skills } from "tenon/ext/skills";
 * import { McpServer } from "tenon/server";
 *
 * const manifest = "---\nname: greeting\ndescription: How we greet people\n---\nSay hello first.\n";
 * const server = new McpServer({ name: "office", version: "1.0.0" }, { extensions: [skills({ "greeting/SKILL.md": manifest })] });
 * await using client = await connect(server);
 * const host = new SkillHost(client, { approve: (skill) => skill.frontmatter.name === "greeting" });
 * const { skills: found } = await host.list();
 * const loaded = await host.load(found[0]!);
 * console.log(loaded.body.trim()); // Say hello first.
 * ```
 */
export class SkillHost {
  readonly #client: SkillClient;
  readonly #approve: SkillHostOptions["approve"];
  /** The set of files that was approved, by the URI of the skill. */
  readonly #approved = new Map<string, string>();

  /** Sends nothing to the server. */
  constructor(client: SkillClient, options: SkillHostOptions) {
    this.#client = client;
    this.#approve = options.approve;
  }

  /** Whether the server has skills. */
  get supported(): boolean {
    return this.#settings !== undefined;
  }

  get #settings(): JsonObject | undefined {
    return this.#client.serverCapabilities.extensions?.[SKILLS_ID];
  }

  /**
   * Lists the skills of the server, all pages. A server may serve skills that it does not list: load those by their URI.
   * Reads no file. Empty if the server has no skills.
   * @throws McpError the server's error
   */
  async list(options?: CallOptions): Promise<SkillListing> {
    if (!this.supported) return { skills: [], invalid: [] };
    const entries: unknown[] = [];
    for await (const entry of this.#pages("skills/list", {}, "skills", options)) entries.push(entry);
    return sortOut(entries);
  }

  /** Gets the entry of one skill, listed or not. @throws McpError -32602 if the server does not have it; InvalidSkillError */
  async get(uri: string, options?: CallOptions): Promise<Skill> {
    this.#assertSupported();
    const { skill } = await this.#client.request("skills/get", { uri }, options);
    assertSkill(skill);
    if (canonicalUri(skill.uri) !== canonicalUri(uri)) throw new InvalidSkillError(uri, `the server returned ${skill.uri}`);
    return skill;
  }

  /**
   * Loads a skill: asks for approval, reads `SKILL.md` and checks its size, digest and frontmatter.
   * @param skill an entry from {@link list} or {@link get}, or the URI of a skill, whose entry the host then gets
   * @throws McpUsageError if it was not approved; SkillVerificationError, InvalidSkillError; McpError the server's error
   */
  async load(skill: Skill | string, options?: CallOptions): Promise<LoadedSkill> {
    const entry = typeof skill === "string" ? await this.get(skill, options) : skill;
    assertSkill(entry);
    await this.#assertApproved(entry);
    return LoadedSkill.open(this.#client, entry, options);
  }

  /**
   * Lists the direct children of a folder of a skill, all pages.
   * @throws McpUsageError if the server does not serve folders; McpError -32602 if it is not a folder
   */
  async readFolder(uri: string, options?: CallOptions): Promise<SkillChild[]> {
    if (this.#settings?.["directoryRead"] !== true) throw new McpUsageError("This server does not serve the folders of skills");
    const children: SkillChild[] = [];
    for await (const child of this.#pages("resources/directory/read", { uri }, "resources", options)) children.push(child as SkillChild);
    return children;
  }

  /** Forgets that a skill was approved: the next {@link load} asks again. */
  revoke(uri: string): void {
    this.#approved.delete(uri);
  }

  async #assertApproved(skill: Skill): Promise<void> {
    const files = JSON.stringify(skill.resources);
    if (this.#approved.get(skill.uri) === files) return;
    this.#approved.delete(skill.uri);
    if (!(await this.#approve(skill))) throw new McpUsageError(`The skill ${skill.uri} was not approved`);
    this.#approved.set(skill.uri, files);
  }

  #assertSupported(): void {
    if (!this.supported) throw new McpUsageError("This server has no skills");
  }

  #pages(method: string, params: JsonObject, member: string, options: CallOptions | undefined): AsyncGenerator {
    return items(
      async (cursor) => {
        const page = await this.#client.request(method, cursor === undefined ? params : { ...params, cursor }, options);
        if (!Array.isArray(page[member])) throw new ProtocolViolationError(`The result of ${method} has no list of ${member}`);
        return page;
      },
      (page) => page[member] as readonly unknown[], // checked above
    );
  }
}

function keyOf(entry: unknown): string | undefined {
  return isJsonObject(entry) && typeof entry["uri"] === "string" ? canonicalUri(entry["uri"]) : undefined;
}

/** Separates entries that may be loaded from the others. Two entries with one URI are both refused: a host cannot distinguish them. */
function sortOut(entries: readonly unknown[]): SkillListing {
  const skills: Skill[] = [];
  const invalid: InvalidSkillError[] = [];
  const times = new Map<unknown, number>();
  for (const entry of entries) times.set(keyOf(entry), (times.get(keyOf(entry)) ?? 0) + 1);
  for (const entry of entries) {
    try {
      assertSkill(entry);
      if (times.get(keyOf(entry))! > 1) throw new InvalidSkillError(entry.uri, "the server lists this URI more than once");
      skills.push(entry);
    } catch (error) {
      if (!(error instanceof InvalidSkillError)) throw error;
      invalid.push(error);
    }
  }
  return { skills, invalid };
}
