/**
 * The supported dialects of JSON Schema, and which keywords each of them has.
 *
 * A dialect is a number that grows with its date, so that the dialects of a keyword are a range.
 */
import { InvalidSchemaError } from "./invalid-schema-error.ts";

/** Draft-06, draft-07, 2019-09 or 2020-12. */
export type Dialect = 6 | 7 | 2019 | 2020;

/** `$schema` without fragment and scheme. */
const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft-06/schema", 6],
  ["json-schema.org/draft-07/schema", 7],
  ["json-schema.org/draft/2019-09/schema", 2019],
  ["json-schema.org/draft/2020-12/schema", 2020],
]);

/** The dialect a schema declares, 2020-12 if it declares none; undefined if that dialect is not supported. */
export function knownDialectOf($schema: unknown): Dialect | undefined {
  if ($schema === undefined) return 2020;
  return typeof $schema === "string" ? DIALECTS.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
}

/** @throws InvalidSchemaError naming an unsupported dialect */
export function dialectOf($schema: unknown): Dialect {
  const dialect = knownDialectOf($schema);
  if (dialect !== undefined) return dialect;
  throw new InvalidSchemaError(
    `unsupported dialect ${JSON.stringify($schema)}; supported are 2020-12 (the default), 2019-09, draft-07 and draft-06`,
    "/$schema",
  );
}
