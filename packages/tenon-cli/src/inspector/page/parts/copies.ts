/** A call as text for elsewhere: a shell, `tenon call`, a program. Security: each text is quoted by the rules of its language. */
import { escapeInvisible } from "tenon/internal";
import type { TargetEntry } from "../../entries.ts";
import type { Json } from "../data/json.ts";

/** What programs import. */
const PACKAGE = "tenon";
const PRINT = "console.log";

/** A word for a shell. Security: a terminal obeys control characters that are pasted, also between quotes, so they become escapes of bash and zsh. */
export function shellWord(word: string): string {
  const escaped = escapeInvisible(word.replaceAll("\\", String.raw`\\`));
  if (escapeInvisible(word) !== word) return `$'${escaped.replaceAll("'", String.raw`\'`)}'`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON as source text: nothing in it ends a line, a string or a script, and it reads as it runs. */
export function sourceText(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? "undefined";
  return escapeInvisible(text)
    .replace(/[\u2028\u2029]/g, (mark) => `\\u${mark.codePointAt(0)!.toString(16)}`)
    .replaceAll("</", String.raw`<\/`);
}

export function asTenonCall({ typed }: TargetEntry, tool: string, args: unknown): string {
  const [words, after] = typed.startsWith("-- ") ? ["", ` ${typed}`] : [` ${typed.startsWith("--") ? typed : shellWord(typed)}`, ""];
  return `tenon call${words} ${shellWord(tool)} --args ${shellWord(escapeInvisible(JSON.stringify(args ?? {})))}${after}`;
}

export function asTypeScript(target: TargetEntry, tool: string, args: unknown): string {
  const [command, ...rest] = target.command ?? [];
  const where =
    target.url === undefined
      ? `{ command: ${sourceText(command)}, args: ${escapeInvisible(JSON.stringify(rest))} }`
      : sourceText(target.url);
  return `import { connect } from "${PACKAGE}/client";

await using client = await connect(${where});
const result = await client.callTool(${sourceText(tool)}, ${sourceText(args ?? {})});
${PRINT}(result.text);
`;
}

/** A message as `curl` sends it; undefined if the server is not at a URL. Credentials are a variable. */
export function asCurl({ url }: TargetEntry, body: string, headers: Json): string | undefined {
  if (url === undefined) return undefined;
  const headerLines = Object.entries(headers).map(([name, value]) => {
    const text = name === "authorization" ? '"Authorization: Bearer $TOKEN"' : shellWord(`${name}: ${String(value)}`);
    return `  -H ${text}`;
  });
  return [`curl -sS ${shellWord(url)}`, ...headerLines, `  --data-raw ${shellWord(escapeInvisible(body))}`].join(" \\\n");
}
