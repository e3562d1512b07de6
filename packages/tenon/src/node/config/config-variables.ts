/**
 * The variables that hosts allow in configuration files: `${NAME}` and `${NAME:-default}` (Claude), `${env:NAME}`
 * (VS Code, Cursor), `${input:id}`, `${userHome}`, `${workspaceFolder}` and similar ones; and `${file:path}`, a secret in a file.
 *
 * Each is replaced once. A value is not searched for further variables.
 */
import { homedir } from "node:os";
import { basename, sep } from "node:path";
import { readSecret, secretPath } from "./secret-file.ts";

export interface Variables {
  /** The environment for `${NAME}` and `${env:NAME}`. */
  readonly env: { readonly [name: string]: string | undefined };
  /** Other variables, which replace the known ones, by the text between the braces. */
  readonly given: { readonly [name: string]: string };
  /** The folder where relative paths of `${file:path}` begin. */
  readonly folder: string;
  /** Called with the path of each file that is read, or would be if it existed. */
  readonly onFile?: (path: string) => void;
}

export interface TextPlace {
  /** Whether it may hold a secret. Other fields are shown to users and in logs, so `${file:path}` is refused there. */
  readonly isSecret: boolean;
  /** Called for each variable without a value, which stays in the text unchanged. */
  readonly onProblem: (problem: string) => void;
}

const VARIABLE = /\$\{([^${}]*)\}/g;
const FILE = "file:";
const NOT_SECRET = 'may stand in "env", "headers" and credentials only, because this field is shown to users';
const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What a text takes: a variable, by its name, or a file, by its path. */
export type Reference = { readonly variable: string } | { readonly file: string };

/** What {@link expand} would take for a text. */
export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(VARIABLE)].map(([, inner = ""]) => {
    const [name] = splitDefault(inner);
    return name.startsWith(FILE) ? { file: name.slice(FILE.length) } : { variable: name };
  });
}

export function expand(text: string, variables: Variables, { isSecret, onProblem }: TextPlace): string {
  return text.replace(VARIABLE, (whole, inner: string) => {
    const [name, fallback] = splitDefault(inner);
    if (name.startsWith(FILE) && !Object.hasOwn(variables.given, name)) {
      const read = isSecret ? fromFile(name.slice(FILE.length), variables, fallback) : { problem: NOT_SECRET };
      if ("text" in read) return read.text;
      onProblem(`${whole} ${read.problem}`);
      return whole;
    }
    const value = valueOf(name, variables);
    if (value !== undefined && (value !== "" || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    onProblem(describeMissing(whole, name));
    return whole;
  });
}

/** A scheme of the header `Authorization`, and nothing after it. */
const BARE_SCHEME = /^(?:Bearer|Basic|Token|ApiKey)?\s*$/i;

/** Fills in the variables of a credential. One that they leave empty is a problem, because a server would answer that a login is missing. */
export function expandCredential(text: string, variables: Variables, onProblem: TextPlace["onProblem"]): string {
  const value = expand(text, variables, { isSecret: true, onProblem });
  const names = [...text.matchAll(VARIABLE)];
  const isMeant = value === "" && names.every(([, inner = ""]) => splitDefault(inner)[1] === ""); // its default is ""
  if (names.length > 0 && !isMeant && BARE_SCHEME.test(value))
    onProblem(`has no credential, because ${names.map(([whole]) => whole).join(" and ")} ${names.length > 1 ? "are" : "is"} empty`);
  return value;
}

function fromFile(given: string, { folder, onFile }: Variables, fallback?: string): { text: string } | { problem: string } {
  if (given === "") return { problem: "names no file" };
  const path = secretPath(given, folder);
  onFile?.(path);
  const secret = readSecret(path);
  return "isMissing" in secret && secret.isMissing && fallback !== undefined ? { text: fallback } : secret;
}

function splitDefault(inner: string): [string, string?] {
  const at = inner.indexOf(":-");
  return at < 0 ? [inner] : [inner.slice(0, at), inner.slice(at + 2)];
}

function valueOf(name: string, { env, given }: Variables): string | undefined {
  if (Object.hasOwn(given, name)) return given[name];
  const folder = given["workspaceFolder"] ?? process.cwd();
  switch (name) {
    case "userHome":
      return homedir();
    case "workspaceFolder":
    case "cwd":
      return folder;
    case "workspaceFolderBasename":
      return basename(folder);
    case "pathSeparator":
    case "/":
      return sep;
    default:
      return name.startsWith("env:") ? env[name.slice(4)] : ENVIRONMENT_NAME.test(name) ? env[name] : undefined;
  }
}

function describeMissing(whole: string, name: string): string {
  if (name.startsWith("input:")) return `${whole} is asked of the user by the host: give it in the option "variables"`;
  const isEnvironment = name.startsWith("env:") || ENVIRONMENT_NAME.test(name);
  return isEnvironment ? `${whole} is not set in the environment` : `${whole} is not known: give it in the option "variables"`;
}
