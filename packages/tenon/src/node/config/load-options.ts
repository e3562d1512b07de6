/** How a configuration is read: by `loadConfig`, and by the parts that read members of their own. */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { OptionKeys } from "../../base/known-options.ts";
import type { ConfigProblem } from "./config-problem.ts";
import type { EntryDemand, SettingsEffects } from "./demands.ts";
import type { Variables } from "./config-variables.ts";

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions {
  /** The environment for `${NAME}` and `${env:NAME}`. Default: the one of this process. */
  env?: { readonly [name: string]: string | undefined };
  /**
   * Other variables, by the text between the braces: `{ "input:token": "…", workspaceFolder: "/work" }`. Default: none;
   * `workspaceFolder` is the project of a file such as `.vscode/mcp.json`, else the working directory of this process.
   */
  variables?: { readonly [name: string]: string };
  /** Where relative paths of `${file:path}` and `envFile` begin. Default: the folder of the file; for an object, the working directory of this process. */
  folder?: string;
  /**
   * Called with the path of each file beside the configuration: files of `${file:path}` and `envFile`, also of one that does not exist.
   * A program can follow them. Default: not called.
   */
  onFile?: (path: string) => void;
  /**
   * Called for each unknown field of a server, and for a member of the file that is probably mistyped. Both are ignored. Default: no
   * warnings.
   */
  onWarning?: (message: string) => void;
  /**
   * Asked for each server that starts a program, or that takes a variable or a file, before anything is read for one of them. A server is left
   * out unless it returns `true`. Keep `digest` to ask once: an entry that wants something else has another one. Default: all servers are
   * used. Security: without it a file from elsewhere starts any program, and sends any variable and file of the user to any place.
   */
  consent?: (demand: EntryDemand) => MaybePromise<boolean>;
}

export const LOAD_OPTIONS: OptionKeys<LoadConfigOptions> = { env: 1, variables: 1, folder: 1, onFile: 1, onWarning: 1, consent: 1 };

export interface SettingsReader {
  /**
   * @param server undefined for the member of the file
   * @param isProgram whether the server is a program
   * @returns its problems, without `line`
   */
  read(settings: unknown, server: string | undefined, variables: Variables, isProgram: boolean): readonly ConfigProblem[];
  /** What the member of the file does beside sending something to a URL. Its shape may be wrong. */
  effects(settings: unknown): SettingsEffects;
  /** The problems of the file's own member with the names of all servers, those that are disabled too, without `line`. */
  compare(servers: readonly string[]): readonly ConfigProblem[];
}

export interface ConfigReader {
  /** Reads the members `tenon`. Without it they are reported as ignored. */
  readonly settings?: SettingsReader;
  /** The only server to read, also if it is disabled. Default: all that are not disabled. */
  readonly only?: string;
  /** The name in errors of a configuration that is an object. Default: "The configuration". */
  readonly file?: string;
  /** The folder at which the path of the file begins, if it is relative. Default: the one of the process. */
  readonly cwd?: string;
  /**
   * Asked before a variable or a file is read for an entry. Resolves with the names of the servers that are left out.
   * @throws what the user gets in the place of the configuration
   */
  readonly consent?: (demands: readonly EntryDemand[]) => Promise<ReadonlySet<string>>;
}
