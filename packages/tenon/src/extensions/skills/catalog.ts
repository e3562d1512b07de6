/**
 * Reads the skills below one folder: their entries, their files and their folders, as they are at one time.
 *
 * A skill is the outermost folder with a `SKILL.md`; all files below belong to it. A skill that breaks a rule is left out and reported to
 * the operator. A client that reads a file gets the bytes that the catalog has listed, or an error.
 */
import type { FileTree, TreeFile } from "../../base/file-tree.ts";
import { sha256Hex } from "../../base/hash.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { decodeUtf8 } from "../../base/bytes.ts";
import { parseManifest } from "./frontmatter.ts";
import type { SkillChild } from "./skill-host.ts";
import { canonicalUri, uriOf } from "./skill-uri.ts";
import { assertSkill, DIRECTORY_TYPE, InvalidSkillError, MAX_SKILL_BYTES, MAX_SKILL_FILES, type Skill, type SkillFile } from "./skill.ts";

const MANIFEST = "SKILL.md";

export interface ServedFile extends SkillFile {
  readonly source: TreeFile;
}

export interface Catalog {
  readonly skills: readonly Skill[];
  /** By canonical URI. */
  readonly files: ReadonlyMap<string, ServedFile>;
  /** The direct children of each folder, by canonical URI. */
  readonly folders: ReadonlyMap<string, readonly SkillChild[]>;
}

export const EMPTY_CATALOG: Catalog = { skills: [], files: new Map(), folders: new Map() };

export interface CatalogOptions {
  /** The path in the URIs before a skill's name. */
  readonly prefix: string | undefined;
  /** The catalog before this one: files that have not changed are not read again. */
  readonly previous: Catalog;
  /** Called with the reason for each skill that is left out. */
  readonly report: (error: Error) => void;
}

/** Reads the folder and checks its skills. @throws if the folder cannot be read */
export async function readCatalog(tree: FileTree, { prefix, previous, report }: CatalogOptions): Promise<Catalog> {
  const { files, refused } = await tree.scan();
  const found = bySkill(files);
  const name = (path: string): string => [tree.place, path].filter((part) => part !== undefined && part !== "").join("/");
  for (const { path } of misnamed(files, found)) report(new InvalidSkillError(name(path), `its name must be ${MANIFEST}, in capitals`));
  if (found.size === 0) report(new McpUsageError(`No skill in ${tree.place ?? "the files"}: a skill is a folder with a ${MANIFEST}`));
  const skills: Skill[] = [];
  const served = new Map<string, ServedFile>();
  for (const [folder, own] of found) {
    try {
      const link = refused.find(({ path }) => isBelow(path, folder));
      if (link !== undefined) throw new InvalidSkillError(folder, `${link.path} is ${link.reason}`);
      const { skill, contents } = await readSkill(folder, own, { prefix, previous });
      skills.push(skill);
      for (const file of contents) served.set(file.uri, file);
    } catch (error) {
      const isPlaced = error instanceof InvalidSkillError && tree.place === undefined;
      report(isPlaced ? error : new InvalidSkillError(name(folder), reasonOf(error)));
    }
  }
  return { skills, files: served, folders: foldersOf(served.values()) };
}

function reasonOf(error: unknown): string {
  if (error instanceof InvalidSkillError) return error.reason;
  return error instanceof Error ? error.message : String(error);
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

function bySkill(files: readonly TreeFile[]): Map<string, TreeFile[]> {
  const manifests = files.filter(({ path }) => path === MANIFEST || path.endsWith(`/${MANIFEST}`));
  const folders = manifests.map(({ path }) => path.slice(0, -MANIFEST.length - 1)).sort((a, b) => a.length - b.length);
  const outermost: string[] = [];
  for (const folder of folders) if (!outermost.some((outer) => isBelow(folder, outer))) outermost.push(folder);
  return new Map(outermost.sort().map((folder) => [folder, files.filter(({ path }) => isBelow(path, folder))]));
}

/** Files of no skill whose names differ from `SKILL.md` by the case of letters only. */
function misnamed(files: readonly TreeFile[], skills: ReadonlyMap<string, unknown>): TreeFile[] {
  const folders = [...skills.keys()];
  return files.filter(({ path }) => /(^|\/)skill\.md$/i.test(path) && !folders.some((folder) => isBelow(path, folder)));
}

type ReadOptions = Pick<CatalogOptions, "prefix" | "previous">;

async function readSkill(
  folder: string,
  files: readonly TreeFile[],
  options: ReadOptions,
): Promise<{ skill: Skill; contents: ServedFile[] }> {
  if (files.length > MAX_SKILL_FILES)
    throw new InvalidSkillError(folder, `it has ${files.length} files, at most ${MAX_SKILL_FILES} are served`);
  const manifest = files.find(({ path }) => path === (folder === "" ? MANIFEST : `${folder}/${MANIFEST}`))!; // `bySkill` found the folder by it
  const { frontmatter } = parseManifest(decodeUtf8([await manifest.read()]), { portable: true });
  const place = [options.prefix, folder === "" ? String(frontmatter["name"]) : folder].filter((part) => part !== undefined).join("/");
  const root = uriOf("skill:/", place);
  const contents: ServedFile[] = [];
  let bytes = 0;
  for (const source of files) {
    const file = await listFile(uriOf(root, folder === "" ? source.path : source.path.slice(folder.length + 1)), source, options.previous);
    bytes += file.size;
    if (bytes > MAX_SKILL_BYTES) throw new InvalidSkillError(folder, `its files have more than ${MAX_SKILL_BYTES} bytes`);
    contents.push(file);
  }
  const skill = { uri: `${root}/${MANIFEST}`, frontmatter, resources: contents.map(({ uri, digest, size }) => ({ uri, digest, size })) };
  assertSkill(skill);
  return { skill, contents };
}

async function listFile(uri: string, source: TreeFile, previous: Catalog): Promise<ServedFile> {
  const known = previous.files.get(uri);
  if (known !== undefined && known.source.stamp !== "" && known.source.stamp === source.stamp) return { ...known, source };
  const bytes = await source.read();
  return { uri, digest: `sha256:${await sha256Hex(bytes)}`, size: bytes.byteLength, source };
}

/** Reads the bytes that were listed. @throws Error if they have changed since, or cannot be read */
export async function readServed({ uri, digest, source }: ServedFile): Promise<Uint8Array> {
  const bytes = await source.read();
  if (`sha256:${await sha256Hex(bytes)}` !== digest) throw new Error(`${uri} has changed since it was listed`);
  return bytes;
}

function foldersOf(files: Iterable<ServedFile>): Map<string, SkillChild[]> {
  const folders = new Map<string, Map<string, SkillChild>>();
  for (const { uri } of files) addChild(folders, uri, mediaTypeOf(uri));
  return new Map([...folders].map(([folder, children]) => [folder, [...children.values()]]));
}

/** Adds a file or a folder to its parent folder, and the parent to its own parent. */
function addChild(folders: Map<string, Map<string, SkillChild>>, uri: string, mimeType: string | undefined): void {
  const end = uri.lastIndexOf("/");
  const parent = uri.slice(0, end);
  if (canonicalUri(parent) === undefined) return; // above the first folder
  const children = folders.get(parent) ?? new Map<string, SkillChild>();
  children.set(uri, { uri, name: decodeURIComponent(uri.slice(end + 1)), ...(mimeType !== undefined && { mimeType }) });
  if (folders.has(parent)) return;
  folders.set(parent, children);
  addChild(folders, parent, DIRECTORY_TYPE);
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  txt: "text/plain",
  html: "text/html",
  css: "text/css",
  csv: "text/csv",
  js: "text/javascript",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  svg: "image/svg+xml",
};

/** The media type for the extension of the file name; undefined for an unknown extension. */
export function mediaTypeOf(uri: string): string | undefined {
  const ending = /\.(\w+)$/.exec(uri)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(MEDIA_TYPES, ending) ? MEDIA_TYPES[ending] : undefined;
}
