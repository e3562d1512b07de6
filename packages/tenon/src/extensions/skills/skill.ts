/** A skill as servers and clients exchange it, and the rules that every entry of `skills/list` must follow. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { canonicalUri, skillFolderOf } from "./skill-uri.ts";

export const SKILLS_ID = "io.modelcontextprotocol/skills";
export const DIRECTORY_TYPE = "inode/directory";

/** Files in one skill that every host loads. MCP Skills, Limits. */
export const MAX_SKILL_FILES = 512;
/** Bytes of all files of one skill that every host loads. MCP Skills, Limits. */
export const MAX_SKILL_BYTES: number = 16 * 1024 * 1024;

/** The frontmatter of `SKILL.md`, unchanged. */
export interface SkillFrontmatter {
  /** 1 to 64 lower-case letters, digits and single hyphens; the name of its folder. Not unique. */
  readonly name: string;
  /** When to use the skill, in 1 to 1,024 characters. */
  readonly description: string;
  readonly [member: string]: unknown;
}

/** One file of a skill. */
export interface SkillFile {
  /** The URI of the file, inside the folder of the skill. */
  readonly uri: string;
  /** `sha256:` and 64 lower-case hexadecimal digits, of the raw bytes. */
  readonly digest: string;
  /** Length of the raw bytes. */
  readonly size: number;
}

/** An entry of `skills/list`. */
export interface Skill {
  /** The URI of `SKILL.md`. Not unique across servers: identify a skill by its server and its URI. */
  readonly uri: string;
  /** The frontmatter of its `SKILL.md`. */
  readonly frontmatter: SkillFrontmatter;
  /** Every file of the skill, `SKILL.md` included; `"dynamic"` if the server makes files as they are read. */
  readonly resources: readonly SkillFile[] | "dynamic";
}

/** A skill, or one of its files, that must not be loaded, with the reason. */
export class InvalidSkillError extends McpError {
  override name = "InvalidSkillError";
  /** The URI or path of the skill or the file, if it is known. */
  readonly uri: string | undefined;
  /** What is wrong with it, without the URI or the path. */
  readonly reason: string;

  /** @param reason goes into the message */
  constructor(uri: string | undefined, reason: string) {
    super(ErrorCode.InvalidRequest, `Skill ${uri === undefined ? "without a URI" : JSON.stringify(uri)}: ${reason}`);
    this.uri = uri;
    this.reason = reason;
  }
}

/** Checks an entry of `skills/list`. @throws InvalidSkillError if a host must not load it */
export function assertSkill(entry: unknown): asserts entry is Skill & JsonObject {
  const uri = isJsonObject(entry) && typeof entry["uri"] === "string" ? entry["uri"] : undefined;
  const fail = (reason: string): never => {
    throw new InvalidSkillError(uri, reason);
  };
  if (!isJsonObject(entry) || uri === undefined) return fail('it must be an object with a string "uri"');
  const folder = skillFolderOf(uri);
  if (folder === undefined) return fail('"uri" must be an absolute URI without query and fragment that ends in /SKILL.md');
  const problem = frontmatterProblem(entry["frontmatter"]) ?? resourcesProblem(entry["resources"], uri, folder);
  if (problem !== undefined) return fail(problem);
  const { name } = entry["frontmatter"] as SkillFrontmatter; // checked above
  if (folder.slice(folder.lastIndexOf("/") + 1) !== name) return fail(`its folder must have the name ${JSON.stringify(name)}`);
}

const NAME = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** What is wrong with a frontmatter; undefined if nothing is. */
export function frontmatterProblem(frontmatter: unknown): string | undefined {
  if (!isJsonObject(frontmatter)) return "the frontmatter must be an object";
  const { name, description, compatibility, metadata } = frontmatter;
  if (typeof name !== "string" || !NAME.test(name)) return '"name" must have 1 to 64 lower-case letters, digits and single hyphens';
  if (!isText(description, 1_024)) return '"description" must have 1 to 1,024 characters';
  if (compatibility !== undefined && !isText(compatibility, 500)) return '"compatibility" must have 1 to 500 characters';
  if (metadata !== undefined && !isStringMap(metadata)) return '"metadata" must have strings only: put numbers in quotes';
  return undefined;
}

function isText(value: unknown, max: number): boolean {
  return typeof value === "string" && value.length >= 1 && value.length <= max;
}

function isStringMap(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((member) => typeof member === "string");
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

function resourcesProblem(resources: unknown, uri: string, folder: string): string | undefined {
  if (resources === "dynamic") return undefined;
  if (!Array.isArray(resources)) return '"resources" must be a list of files or "dynamic"';
  if (resources.length > MAX_SKILL_FILES) return `it has ${resources.length} files, at most ${MAX_SKILL_FILES} are loaded`;
  const uris = new Set<string>();
  let bytes = 0;
  for (const file of resources as readonly unknown[]) {
    if (!isFile(file)) return 'each file needs a "uri", a "digest" (sha256: and 64 hexadecimal digits) and a "size"';
    const canonical = canonicalUri(file.uri);
    if (canonical === undefined || !canonical.startsWith(`${folder}/`)) return `${JSON.stringify(file.uri)} is not inside the skill`;
    if (uris.has(canonical)) return `${JSON.stringify(file.uri)} is listed twice`;
    uris.add(canonical);
    bytes += file.size;
  }
  if (bytes > MAX_SKILL_BYTES) return `its files have ${bytes} bytes, at most ${MAX_SKILL_BYTES} are loaded`;
  return uris.has(canonicalUri(uri)!) ? undefined : "its own SKILL.md is not among its files";
}

function isFile(file: unknown): file is SkillFile & JsonObject {
  if (!isJsonObject(file)) return false;
  const { uri, digest, size } = file;
  return (
    typeof uri === "string" && typeof digest === "string" && DIGEST.test(digest) && Number.isSafeInteger(size) && (size as number) >= 0
  );
}
