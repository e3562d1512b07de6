/** Shows entries to users. Security: values of variables and headers are hidden, because they may be secrets. */
import { stringify } from "smol-toml";
import { clean, isJsonObject } from "tenon/internal";
import type { Host } from "./host.ts";

const HIDDEN = "•••";
const SECRET_FIELDS: ReadonlySet<string> = new Set(["env", "headers", "http_headers"]);
const SECRET_NAME = /token|key|secret|passw|auth|credential|cookie/i;
/** A value that refers to a variable instead of holding it. */
const REFERENCE = /\$\{[^}]*\}|^\$\w+$/;

/** The entry with its values hidden. */
export function withoutSecrets(entry: unknown): unknown {
  if (!isJsonObject(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).map(([field, value]) => [field, SECRET_FIELDS.has(field) ? hideIn(value) : value]));
}

function hideIn(value: unknown): unknown {
  if (!isJsonObject(value)) return HIDDEN;
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [
      name,
      typeof text === "string" && (REFERENCE.test(text) || name === "PATH") ? text : HIDDEN,
    ]),
  );
}

/** The names of an entry's variables and headers that hold a secret in plain text. */
export function plainSecretsOf(entry: unknown): readonly string[] {
  if (!isJsonObject(entry)) return [];
  const maps = [...SECRET_FIELDS].map((field) => entry[field]).filter(isJsonObject);
  return maps.flatMap((map) =>
    Object.entries(map).flatMap(([name, value]) =>
      SECRET_NAME.test(name) && typeof value === "string" && value !== "" && !REFERENCE.test(value) ? [name] : [],
    ),
  );
}

/** The entry as it stands in the host's file, under its name. */
export function entryText(host: Host, name: string, entry: unknown): string {
  const document = { [host.key]: { [name]: entry } };
  return clean(host.format === "toml" ? stringify(document).trim() : JSON.stringify(document, undefined, 2));
}
