/** What an entry of a configuration wants of the user's machine, in words. Every value that is written in it is shown: it may decide what code runs. */
import type { JsonObject } from "tenon";
import { cleanLine, type DemandedFile, type EntryDemand, isJsonObject } from "tenon/internal";

/** Most characters of one value: of a longer one both ends are shown. */
const MAX_SHOWN = 200;

export function demandLines({ server, program, variables, files, written, origins }: EntryDemand): string[] {
  const name = server === undefined ? "The file itself" : server;
  const taken = [...variables.map((variable) => `\${${variable}}`), ...files.map(({ written }) => written)].map(shown).join(", ");
  const sent = `${name} sends ${taken} to ${origins.length === 0 ? "a place that is not written" : origins.map(shown).join(", ")}`;
  const outside = files.filter(({ isOutside }) => isOutside);
  const line = (does: string, file: DemandedFile): string =>
    `${name} ${does} a file outside the folder of the configuration: ${shown(file.written)} (${shown(file.path)})`;
  return [
    ...(program === undefined ? [] : [`${name} would start: ${commandOf(program)}`]),
    ...(program === undefined && taken !== "" ? [sent] : []),
    ...outside.map((file) => line("reads", file)),
    ...written.map((file) => line("writes", file)),
  ].map(cleanLine);
}

/** One line, with nothing left out of the command: what is shown is what is run. */
function commandOf({ command, args, cwd, env, envFile }: JsonObject): string {
  const words = [command, ...(Array.isArray(args) ? args : [])].map((word) => quoted(word));
  const variables = Object.entries(isJsonObject(env) ? env : {}).map(([name, value]) => `${name}=${shown(quoted(value))}`);
  const parts = [
    cwd === undefined ? "" : ` (in ${quoted(cwd)})`,
    variables.length === 0 ? "" : ` (variables: ${variables.join(", ")})`,
    envFile === undefined ? "" : ` (variables of the file ${quoted(envFile)})`,
  ];
  return words.join(" ") + parts.join("");
}

function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[\w@%+=:,./-]+$|^\$\{[^${}]*\}$/.test(text) ? text : JSON.stringify(text);
}

function shown(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  const half = MAX_SHOWN / 2;
  return `${text.slice(0, half)} … (${text.length - MAX_SHOWN} more) … ${text.slice(-half)}`;
}
