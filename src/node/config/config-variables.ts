/**
 * The variables that hosts allow in configuration files: `${NAME}` and `${NAME:-default}` (Claude), `${env:NAME}`
 * (VS Code, Cursor), `${input:id}`, `${userHome}`, `${workspaceFolder}` and similar ones.
 *
 * Each is replaced once. A value is not searched for further variables.
 */
import { homedir } from "node:os";
import { basename, sep } from "node:path";

export interface Variables {
  /** The environment for `${NAME}` and `${env:NAME}`. */
  readonly env: { readonly [name: string]: string | undefined };
  /** Other variables, which replace the known ones, by the text between the braces. */
  readonly given: { readonly [name: string]: string };
}

const VARIABLE = /\$\{([^${}]*)\}/g;
const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** @param onMissing called for each variable without a value, which stays in the text unchanged */
export function expand(text: string, variables: Variables, onMissing: (problem: string) => void): string {
  return text.replace(VARIABLE, (whole, inner: string) => {
    const [name, fallback] = splitDefault(inner);
    const value = valueOf(name, variables);
    if (value !== undefined && (value !== "" || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    onMissing(describeMissing(whole, name));
    return whole;
  });
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
