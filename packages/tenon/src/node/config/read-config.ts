/** The work of `loadConfig`, loaded when it is called: reads a configuration, checks it and fills in its variables. */
import { assertKnown } from "../../base/known-options.ts";
import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as util from "node:util";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { lineOf } from "./config-places.ts";
import { serversOf, toCommonEntry } from "./common-entry.ts";
import { describeProblem, ServerConfigError, type ConfigProblem } from "./config-problem.ts";
import { demandOf, demandOfWhole, type DemandPlaces, type EntryDemand, type SettingsEffects } from "./demands.ts";
import { parseConfigText } from "./config-text.ts";
import { expand, type Variables } from "./config-variables.ts";
import { envFileProblem } from "./secret-file.ts";
import { isDisabled, SERVER_FIELDS, ServerReader, type ReadServer, type ServerConfig } from "./server-config.ts";
import { ignored, ignoredList, SETTINGS, unknownAtTop } from "./unknown-members.ts";
import { LOAD_OPTIONS, type ConfigReader, type LoadConfigOptions } from "./load-options.ts";

/** The servers of a configuration by their names. `ClientSessionGroup.connect` takes it unchanged. */
export interface ServerConfigs {
  [name: string]: ServerConfig;
}

interface Source {
  readonly config: unknown;
  /** Its path, or its name in errors. */
  readonly file: string;
  /** The folder at which relative paths begin. */
  readonly cwd: string;
  /** The text of the file; undefined for an object. */
  readonly text: string | undefined;
}

/** @throws ServerConfigError with all problems */
export async function readConfig(
  from: string | URL | object,
  options: LoadConfigOptions,
  { settings, only, file: name, cwd = process.cwd(), consent }: ConfigReader = {},
): Promise<ServerConfigs> {
  assertKnown("loadConfig()", options, LOAD_OPTIONS);
  const origin = await sourceOf(from, cwd);
  const source = name === undefined ? origin : { ...origin, file: name };
  const { config, file, text } = source;
  const { onFile } = options;
  const folder = options.folder ?? (text === undefined ? cwd : resolve(cwd, dirname(file)));
  const values = { workspaceFolder: text === undefined ? cwd : (projectOf(folder) ?? cwd), ...options.variables };
  const variables: Variables = { env: options.env ?? process.env, given: values, folder, ...(onFile && { onFile }) };
  const problems: ConfigProblem[] = [];
  const servers: [string, ReadServer][] = [];
  const [place, written] = serversOf(config, file);
  const entries = Object.fromEntries(Object.entries(written).map(([name, entry]) => [name, toCommonEntry(entry, variables.env)]));
  const whole = isJsonObject(config) ? config[SETTINGS] : undefined;
  const isRead = (name: string, entry: unknown): boolean => (only === undefined ? !isDisabled(entry) : name === only);
  const read = Object.entries(entries).filter((one) => isRead(...one));
  const pathOf = (envFile: string): string => resolve(folder, expand(envFile, variables, { isSecret: false, onProblem: () => undefined }));
  const refused = await consent?.(demandsOf(read, settings && { settings: whole, effects: settings.effects(whole) }, { folder, pathOf }));
  warnOfTop(source, settings !== undefined, options);
  if (whole !== undefined && settings !== undefined)
    problems.push(...placed(settings.read(whole, undefined, variables, false), source, []));
  for (const [name, entry] of read) {
    if (refused?.has(name) === true) continue;
    const reader = new ServerReader(name, entry, variables);
    const server = reader.read();
    const own = isJsonObject(entry) ? entry[SETTINGS] : undefined;
    const ofSettings =
      own === undefined ? undefined : settings?.read(own, name, variables, isJsonObject(entry) && entry["command"] !== undefined);
    problems.push(...placed([...reader.problems, ...(ofSettings ?? [])], source, [...place, name]));
    if (server !== undefined) servers.push([name, server]);
    const unknown = reader.unknown.filter((field) => field !== SETTINGS || settings === undefined);
    const warnings = unknown.map((field) => ({ server: name, ...ignored(field, SERVER_FIELDS) }));
    warn(warnings, source, [...place, name], options);
  }
  if (settings !== undefined) problems.push(...placed(settings.compare(Object.keys(entries)), source, []));
  if (problems.length > 0) throw new ServerConfigError(file, problems);
  return Object.fromEntries(
    await Promise.all(
      servers.map(
        async ([name, server]) => [name, await withEnvFile(source, { place: [...place, name], folder }, server, onFile)] as const,
      ),
    ),
  );
}

/** What the servers that are read want, and the settings of the file, if the user has to be asked. */
function demandsOf(
  servers: readonly (readonly [string, unknown])[],
  whole: { readonly settings: unknown; readonly effects: SettingsEffects } | undefined,
  places: DemandPlaces,
): EntryDemand[] {
  const demands = [
    whole && demandOfWhole(whole.settings, whole.effects, places),
    ...servers.map(([name, entry]) => demandOf(name, entry, places)),
  ];
  return demands.filter((one) => one !== undefined);
}

/** The project of a file that a host keeps in it, such as `.vscode/mcp.json`; undefined for other files. */
function projectOf(folder: string): string | undefined {
  return PROJECT_FOLDERS.has(basename(folder)) ? dirname(folder) : undefined;
}

const PROJECT_FOLDERS: ReadonlySet<string> = new Set([".vscode", ".cursor", ".zed", ".gemini", ".codex", ".roo", ".kiro", ".amazonq"]);

/** Problems of a file that was read before, with their lines. @throws ServerConfigError */
export async function placedIn(file: string, problems: readonly ConfigProblem[], cwd: string = process.cwd()): Promise<ConfigProblem[]> {
  const source = await sourceOf(file, cwd);
  const [place] = serversOf(source.config, file);
  return problems.flatMap((problem) => placed([problem], source, problem.server === undefined ? [] : [...place, problem.server]));
}

async function sourceOf(from: string | URL | object, cwd: string): Promise<Source> {
  if (typeof from !== "string" && !(from instanceof URL)) return { config: from, file: "The configuration", cwd, text: undefined };
  const file = from instanceof URL ? fileURLToPath(from) : from;
  const text = await read(resolve(cwd, file), file);
  return { config: parseConfigText(text, file), file, cwd, text };
}

function placed(problems: readonly ConfigProblem[], { text }: Source, path: readonly string[]): ConfigProblem[] {
  return problems.map((problem) => {
    const line = text === undefined ? undefined : lineOf(text, path, problem.field);
    return { ...(line !== undefined && { line }), ...problem };
  });
}

function warn(
  warnings: readonly ConfigProblem[],
  source: Source,
  path: readonly string[],
  { onWarning }: Pick<LoadConfigOptions, "onWarning">,
): void {
  if (onWarning === undefined) return;
  for (const warning of placed(warnings, source, path)) onWarning(`${source.file}: ${describeProblem(warning)}`);
}

/** @param isOfGateway whether the members `tenon` are read, and all other members of the file are worth a warning */
function warnOfTop(source: Source, isOfGateway: boolean, options: LoadConfigOptions): void {
  const { config, file, text } = source;
  if (!isJsonObject(config)) return;
  const { mistyped, others } = unknownAtTop(config);
  const unread = !isOfGateway && config[SETTINGS] !== undefined ? [ignored(SETTINGS, [])] : [];
  warn([...unread, ...mistyped], source, [], options);
  if (isOfGateway && others.length > 0)
    options.onWarning?.(`${file}: ${ignoredList(others, (name) => (text === undefined ? undefined : lineOf(text, [], name)))}`);
}

/** Adds the variables of `envFile`. Variables in the configuration itself replace them. */
async function withEnvFile(
  source: Source,
  { place, folder }: { readonly place: readonly string[]; readonly folder: string },
  { config, envFile }: ReadServer,
  onFile: LoadConfigOptions["onFile"],
): Promise<ServerConfig> {
  if (envFile === undefined || config.type !== "stdio") return config;
  const { file } = source;
  const path = resolve(folder, envFile);
  const problem = (message: string): ServerConfigError =>
    new ServerConfigError(file, placed([{ server: place.at(-1)!, field: "envFile", message }], source, place));
  onFile?.(path);
  // Node before 20.12 lacks it, and an import by name would fail there.
  const parseEnv: typeof util.parseEnv | undefined = util.parseEnv;
  if (parseEnv === undefined) throw problem("this runtime cannot read such files; Node can from 20.12 on");
  const unreadable = envFileProblem(path);
  if (unreadable !== undefined) throw problem(unreadable);
  try {
    const env = parseEnv(await read(path, file));
    return { ...config, env: { ...(env as { [name: string]: string }), ...config.env } }; // all values are strings
  } catch (error) {
    throw error instanceof ServerConfigError ? problem(error.problems[0]!.message) : error;
  }
}

/** @throws ServerConfigError about `file` */
async function read(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const why = code === "EACCES" ? " (this user may not read it)" : "";
    throw new ServerConfigError(file, [{ message: `cannot be read: ${code}${why}` }]);
  }
}
