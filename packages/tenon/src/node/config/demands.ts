/**
 * What the entries of a configuration file want of the user's machine, as they are written: programs, variables, files, and where that goes; and
 * the files that they make the program write.
 *
 * It is found before a variable or a file is read, so that the user can be asked first. Its digest is another one if the entry starts
 * something else, or a program in a file of another folder, takes something else, or sends it elsewhere.
 */
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { canonicalJson } from "../../base/json-values.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { referencesIn } from "./config-variables.ts";
import { readEnvFile, secretPath } from "./secret-file.ts";
import { URL_FIELDS } from "./server-config.ts";

/** A file that an entry reads. */
export interface DemandedFile {
  /** As the entry names it. */
  readonly written: string;
  /** Its absolute path, without links if it is outside. */
  readonly path: string;
  /** Whether it is neither in the folder of the configuration nor in `/run/secrets`. */
  readonly isOutside: boolean;
}

/** What one entry wants. */
export interface EntryDemand {
  /** The name of the server; undefined for the settings of the whole file. */
  readonly server: string | undefined;
  /** The members of the entry that say which program it starts, with their variables; undefined for a URL. */
  readonly program: JsonObject | undefined;
  /** The variables that it takes, as they are written. */
  readonly variables: readonly string[];
  /** The files that it takes. */
  readonly files: readonly DemandedFile[];
  /** The files outside of the folder of the configuration that it makes the program write. Only settings of the whole file have some. */
  readonly written: readonly DemandedFile[];
  /** The origins of the URLs that it names, as far as they are written. */
  readonly origins: readonly string[];
  /** A digest of all of it. */
  readonly digest: string;
}

/** What the settings of the whole file do beside sending something to a URL that they name. */
export interface SettingsEffects {
  /** The paths of files that the program writes. */
  readonly written: readonly string[];
  /** Texts that every caller of the program gets. */
  readonly told: readonly string[];
}

export interface DemandPlaces {
  /** The folder of the configuration: of `${file:path}`. */
  readonly folder: string;
  /** The absolute path of an `envFile`, whose variables are filled in. */
  readonly pathOf: (envFile: string) => string;
}

const PROGRAM_FIELDS = ["command", "args", "cwd", "env", "envFile"];
/** Where Docker and Kubernetes put secrets that are meant for the program. */
const SECRETS_FOLDER = "/run/secrets";
/** Where a text goes that every caller gets. */
const ALL_CALLERS = "every caller";
/** Variables that tell nothing. */
const HARMLESS: ReadonlySet<string> = new Set(["pathSeparator", "/"]);

/** What an entry wants; undefined if it wants nothing that the user has to be asked for. */
export function demandOf(server: string, entry: unknown, places: DemandPlaces): EntryDemand | undefined {
  if (!isJsonObject(entry)) return undefined;
  // Another kind of command is a fault, and starts nothing.
  const program = typeof entry["command"] === "string" ? pick(entry, PROGRAM_FIELDS) : undefined;
  const addresses = URL_FIELDS.flatMap((field) => (typeof entry[field] === "string" ? [originOf(entry[field])] : []));
  const taken = takenBy(entry, places);
  const files = [...taken.files, ...envFileOf(entry, places)];
  if (program === undefined && taken.variables.length + files.length === 0) return undefined;
  const origins = unique([...addresses, ...taken.origins]);
  return demand({ server, program, variables: taken.variables, files, written: [], origins }, places);
}

/** What the settings of the whole file send somewhere, or write; undefined if they do neither. */
export function demandOfWhole(settings: unknown, { written: paths, told }: SettingsEffects, places: DemandPlaces): EntryDemand | undefined {
  const members = Object.values(isJsonObject(settings) ? settings : {}).map((member) => takenBy(member, places));
  const toldOf = { ...takenBy(told, places), origins: [ALL_CALLERS] };
  const sending = [...members, toldOf].filter((taken) => taken.origins.length > 0 && taken.variables.length + taken.files.length > 0);
  const written = paths.map((path) => fileAt(path, places.pathOf(path), places.folder)).filter(({ isOutside }) => isOutside);
  if (sending.length + written.length === 0) return undefined;
  const all = <Name extends keyof Taken>(name: Name): Taken[Name][number][] => sending.flatMap((taken) => [...taken[name]]);
  const [variables, files, origins] = [unique(all("variables")), all("files"), unique(all("origins"))];
  return demand({ server: undefined, program: undefined, variables, files, written, origins }, places);
}

type Taken = Pick<EntryDemand, "variables" | "files" | "origins">;

function takenBy(value: unknown, { folder }: DemandPlaces): Taken {
  const texts: string[] = [];
  collectTexts(value, texts);
  const references = texts.flatMap((text) => referencesIn(text));
  const names = references.flatMap((reference) => ("variable" in reference ? [reference.variable] : []));
  const paths = unique(references.flatMap((reference) => ("file" in reference ? [reference.file] : [])));
  return {
    variables: unique(names.filter((name) => !HARMLESS.has(name))),
    files: paths.map((written) => fileAt(written, secretPath(written, folder), folder)),
    origins: unique(texts.filter(namesHost).map(originOf)),
  };
}

function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, texts);
  else if (isJsonObject(value)) for (const item of Object.values(value)) collectTexts(item, texts);
}

/** Whether a text may be a URL: also one without slashes, or in the default of a variable. */
function namesHost(text: string): boolean {
  return /:\/\/|\b(?:https?|wss?):/i.test(text);
}

/** The scheme and the host of a URL. One that a variable may lead elsewhere counts whole, with the default of the variable. */
function originOf(text: string): string {
  const at = text.indexOf("${");
  const before = at < 0 ? text : text.slice(0, at);
  if ((at >= 0 && !AUTHORITY.test(before)) || !URL.canParse(before)) return text;
  const { origin, protocol, host } = new URL(before);
  return origin === "null" ? `${protocol}//${host}` : origin;
}

/** The begin of a URL up to the end of its host, as URLs are parsed: with any slashes, and blanks before. */
const AUTHORITY = /^\s*(?:https?|wss?):[/\\]*[^/\\?#]+[/\\?#]/i;

function envFileOf({ command, envFile }: JsonObject, { pathOf, folder }: DemandPlaces): DemandedFile[] {
  if (command === undefined || typeof envFile !== "string") return [];
  return [fileAt(envFile, pathOf(envFile), folder)];
}

function fileAt(written: string, path: string, folder: string): DemandedFile {
  const [real, inside] = [realPath(path), [realPath(folder), SECRETS_FOLDER]];
  const isOutside = !inside.some((root) => real.startsWith(root.endsWith(sep) ? root : root + sep));
  return { written, path: isOutside ? real : path, isOutside };
}

/** A path without links. Of one that does not exist, the folders that do exist count: a file that is written may be new. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

function demand(wanted: Omit<EntryDemand, "digest">, { pathOf, folder }: DemandPlaces): EntryDemand {
  const { program, variables, files, written, origins } = wanted;
  const envFile = program?.["envFile"];
  const text = canonicalJson({
    program: program ?? null,
    // Another project can have the same command, and other code beside it.
    ...(program !== undefined && { folder: realPath(folder) }),
    // Its variables can decide what code runs.
    envFile: typeof envFile === "string" ? sha256(readEnvFile(pathOf(envFile)) ?? "") : null,
    variables,
    files: files.map(({ path }) => path),
    origins,
    ...(written.length > 0 && { written: written.map(({ path }) => path) }),
  });
  return { ...wanted, digest: sha256(text) };
}

function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

function pick(source: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(members.flatMap((member) => (source[member] === undefined ? [] : [[member, source[member]]])));
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}
