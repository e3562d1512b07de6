/**
 * `skills()`: serves a folder of skills. MCP Skills extension (SEP-2640).
 *
 * Each `SKILL.md` is a resource of the server, listed and watched like any other. The other files of a skill are read by
 * their URI and are not in `resources/list`: the entry of the skill names them.
 */
import { memoryTree, type FileTree } from "../../base/file-tree.ts";
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { Extension } from "../../session/extension.ts";
import { defineExtension } from "../define-extension.ts";
import { SkillsServer } from "./skills-server.ts";
import { SKILLS_ID } from "./skill.ts";

/** Options of {@link skills}. */
export interface SkillsOptions {
  /** The path before the names of the skills in their URIs: `"acme"` gives `skill://acme/<name>/SKILL.md`. Default: nothing. */
  readonly prefix?: string;
  /** Whether changes of the folder are served at once and announced to clients. Default: false. Applies to a folder only. */
  readonly watch?: boolean;
  /** Whether files whose names begin with a dot are served. Default: false. Applies to a folder only. */
  readonly hidden?: boolean;
  /** The number of skills on a page of `skills/list`, and of children on a page of a folder. Default 100. */
  readonly pageSize?: number;
  /** Milliseconds that a client may cache entries and files. Default 0. */
  readonly ttlMs?: number;
  /** Whether caches may give one user's entries to another. Default `"private"`. */
  readonly cacheScope?: "public" | "private";
}

const SKILLS_OPTIONS: OptionKeys<SkillsOptions> = { prefix: 1, watch: 1, hidden: 1, pageSize: 1, ttlMs: 1, cacheScope: 1 };

/**
 * Makes the extension that serves skills: `new McpServer(info, { extensions: [skills("./skills")] })` or `server.use(skills("./skills"))`.
 *
 * A skill is a folder with a `SKILL.md`. A skill that breaks a rule is left out and reported to the server's `onError`.
 * Security: every file in a skill's folder can be read by every client of the server; symbolic links are never followed.
 * @param source a folder (Node, Bun and Deno), or texts and bytes by path (every runtime)
 * @throws RangeError if `pageSize` is below 1 or `ttlMs` is negative; TypeError for an option that does not exist, or without a source
 * @example
 * ```ts
 * import { skills } from "tenon/ext/skills";
 * import { McpServer } from "tenon/server";
 *
 * const manifest = "---\nname: greeting\ndescription: How we greet people\n---\nSay hello first.\n";
 * const server = new McpServer({ name: "office", version: "1.0.0" }, { extensions: [skills({ "greeting/SKILL.md": manifest })] });
 * console.log(server.capabilities.extensions); // { 'io.modelcontextprotocol/skills': { directoryRead: true } }
 * ```
 */
export function skills(source: string | Readonly<Record<string, string | Uint8Array>>, options: SkillsOptions = {}): Extension {
  // A program without types may pass anything, such as a variable of the environment that is not set.
  if (typeof source !== "string" && (typeof source !== "object" || source === null))
    throw new TypeError(`skills() needs the path of a folder, or an object of paths and contents, not ${String(source)}`);
  assertKnown("skills()", options, SKILLS_OPTIONS);
  const { pageSize = 100, ttlMs = 0, cacheScope = "private", prefix, watch = false, hidden = false } = options;
  if (!(pageSize >= 1)) throw new RangeError(`pageSize must be at least 1, it is ${pageSize}`);
  if (!(ttlMs >= 0)) throw new RangeError(`ttlMs must not be negative, it is ${ttlMs}`);
  const openTree = async (): Promise<FileTree> => {
    if (typeof source !== "string") return memoryTree(source);
    const { folderTree } = await import("#folder-tree");
    return folderTree(source, { hidden });
  };
  return defineExtension({
    id: SKILLS_ID,
    settings: { directoryRead: true },
    methods: ["skills/list", "skills/get", "resources/directory/read"].map((method) => ({ method, kind: "request", sender: "client" })),
    capabilityGate: () => undefined, // a client can request skills without declaring the extension
    server: (host) => new SkillsServer(host, { openTree, prefix, watch, pageSize, freshness: { ttlMs, cacheScope } }).half,
  });
}
