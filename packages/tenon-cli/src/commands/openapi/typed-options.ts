/** The options of `tenon openapi` as the library takes them. */
import type { OpenApiFilter, OpenApiOptions } from "tenon/openapi";
import { UsageError } from "../../failure.ts";

const KINDS: ReadonlyMap<string, keyof OpenApiFilter> = new Map([
  ["tag", "tags"],
  ["method", "methods"],
  ["path", "paths"],
  ["id", "operations"],
] as const);

export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Whether the user chose operations, all of them included. */
export function isChosen(include: readonly string[] | undefined): boolean {
  return include !== undefined && include.length > 0;
}

/** Values of one kind are alternatives; kinds must all hold. Undefined for all operations. @throws UsageError */
export function filterIn(include: readonly string[] = []): OpenApiFilter | undefined {
  const filter: { -readonly [Kind in keyof OpenApiFilter]: string[] } = {};
  for (const typed of include) {
    if (typed === "all") continue;
    const [, kind = "", value] = /^([^:]*):(.+)$/.exec(typed) ?? [];
    const member = KINDS.get(kind);
    if (member === undefined || value === undefined)
      throw new UsageError(`--include ${JSON.stringify(typed)} must be tag:, method:, path: or id: with a value, or all.`);
    (filter[member] ??= []).push(value);
  }
  return Object.keys(filter).length === 0 ? undefined : filter;
}

export function credentialsIn(auth: readonly string[] = []): readonly { readonly scheme: string; readonly variable: string }[] {
  return auth.map((typed) => {
    const [, scheme, variable] = /^([^=]+)=([A-Za-z_]\w*)$/.exec(typed) ?? [];
    if (scheme === undefined || variable === undefined)
      throw new UsageError(`--auth ${JSON.stringify(typed)} must be scheme=VARIABLE, with the name of an environment variable.`);
    return { scheme, variable };
  });
}

/** The credentials from the environment. A value is never typed, because other users of the machine see what is typed. @throws UsageError */
export function authIn(auth: readonly string[] | undefined, environment: NodeJS.ProcessEnv): OpenApiOptions["auth"] | undefined {
  if (auth === undefined) return undefined;
  const credentials = credentialsIn(auth).map(({ scheme, variable }) => {
    const value = environment[variable];
    if (value === undefined || value === "")
      throw new UsageError(
        `The variable ${variable} of --auth ${scheme}=${variable} is not set. A command that starts this one passes it on with --env ${variable}.`,
      );
    return [scheme, value] as const;
  });
  return Object.fromEntries(credentials);
}

/** The options of the library that the command has under another name. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ["baseUrl", "--base-url"],
  ["include", "--include"],
  ["auth", "--auth"],
]);

/** A message of the library, with the names that a user of the command types. What has no flag is for a program. */
export function toTypedNames(message: string): string {
  return message.replace(/option "([\w.]+)"/g, (_, name: string) => FLAGS.get(name) ?? `option "${name}" of fromOpenApi(), in a program`);
}
