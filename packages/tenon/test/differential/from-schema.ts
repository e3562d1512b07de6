/** Arbitrary values from a JSON Schema: valid ones, and valid ones damaged in one or more places. */
import fc from "fast-check";
import type { Schema } from "./intended-differences.ts";

type Json = unknown;
type Definitions = Readonly<Record<string, Schema>>;

const words = fc.constantFrom("", "a", "text", "file:///a", "input_required", "2025-06-18", "ß😀", "__proto__");
const extras = fc.dictionary(fc.constantFrom("x-extra", "x_other", "toString"), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 2,
  noNullPrototype: true,
});

/** Values that fit the schema. Optional members come and go, unknown members are added. */
export function fromSchema(schema: Schema, definitions: Definitions, depth = 0): fc.Arbitrary<Json> {
  if (schema.$ref !== undefined) return fromReference(schema.$ref, definitions, depth);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.allOf) return fc.tuple(...schema.allOf.map((part) => fromSchema(part, definitions, depth))).map(mergeAll);
  if (schema.anyOf && !schema.properties) return fc.oneof(...schema.anyOf.map((part) => fromSchema(part, definitions, depth)));
  if (schema.properties || schema.type === "object") return fromObject(schema, definitions, depth);
  const types = schema.type === undefined ? ["null", "boolean", "integer", "number", "string", "array"] : [schema.type].flat();
  return fc.oneof(...types.map((type) => fromType(type, schema, definitions, depth)));
}

function fromReference(path: string, definitions: Definitions, depth: number): fc.Arbitrary<Json> {
  const schema = definitions[path.split("/").at(-1) ?? ""];
  if (!schema) throw new Error(`No definition ${path}`);
  return fromSchema(schema, definitions, depth + 1);
}

function mergeAll(parts: Json[]): Json {
  return Object.assign({}, ...parts) as Json;
}

function fromObject(schema: Schema, definitions: Definitions, depth: number): fc.Arbitrary<Json> {
  const properties = Object.entries(schema.properties ?? {}).filter(([, property]) => property !== false);
  const alternatives = (schema.anyOf ?? []).flatMap((part) => part.required ?? []);
  const required = schema.required ?? [];
  const model = Object.fromEntries(
    properties.map(([name, property]) => [
      name,
      fromSchema(property === true ? {} : (property as Schema), definitions, depth + 1),
    ]),
  );
  const known = fc.record(model, {
    requiredKeys: [...required, ...alternatives].filter((name) => name in model),
    noNullPrototype: true,
  });
  const rest =
    typeof schema.additionalProperties === "object" && depth < 12
      ? fromSchema(schema.additionalProperties, definitions, depth + 1)
      : undefined;
  const others = rest
    ? fc.dictionary(words, rest, { maxKeys: 2, noNullPrototype: true })
    : schema.additionalProperties === false
      ? fc.constant({})
      : extras;
  return fc.tuple(others, known).map(mergeAll);
}

function fromType(type: string, schema: Schema, definitions: Definitions, depth: number): fc.Arbitrary<Json> {
  switch (type) {
    case "string":
      return words;
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(schema.items && depth < 24 ? fromSchema(schema.items, definitions, depth + 1) : words, {
        maxLength: Math.min(3, schema.maxItems ?? 3),
      });
    case "integer":
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? -3, max: schema.maximum ?? 5 }),
        fc.constantFrom(schema.minimum ?? 0, 2 ** 40),
      );
    default:
      return fc.oneof(
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 1.5),
        fc.double({ min: schema.minimum ?? -3, max: schema.maximum ?? 5, noNaN: true }),
      );
  }
}

/** Things that are wrong nearly everywhere. */
const hostile: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  "",
  "x",
  "complete",
  "input_required",
  "toString",
  [],
  [null],
  {},
  { type: "text" },
  { type: "constructor" },
  { length: 0 },
  JSON.parse('{"__proto__":{"text":"x","type":"text"}}'),
  Array.from({ length: 101 }, () => "x"),
];

interface Damage {
  readonly place: number;
  readonly kind: number;
  readonly value: number;
  /** Only the outermost members, or any part. */
  readonly shallow: boolean;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  place: fc.nat(),
  kind: fc.nat(6),
  value: fc.nat(hostile.length - 1),
  shallow: fc.boolean(),
});

/** Values that fit the schema before one or two of their parts were damaged. */
export function damagedFromSchema(schema: Schema, definitions: Definitions): fc.Arbitrary<Json> {
  return fc.tuple(fromSchema(schema, definitions), fc.array(damage, { minLength: 1, maxLength: 2 })).map(([value, damages]) => {
    return asReceived(damages.reduce(damageOnce, asReceived(value)));
  });
}

/** A copy as a parser would have made it: no holes, no shared parts, no prototypes. */
export function asReceived<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

type Container = Record<string, Json>;

function damageOnce(root: Json, { place, kind, value, shallow }: Damage): Json {
  const places: [Container, string][] = [];
  collect(root, places, shallow ? 1 : Infinity);
  const target = places[place % Math.max(places.length, 1)];
  const wrong = asReceived(hostile[value]);
  if (!target) return wrong;
  const [holder, key] = target;
  const before = holder[key];
  if (kind <= 1) remove(holder, key);
  else if (kind === 2) set(holder, key, wrong);
  else if (kind === 3) set(holder, key, [before]);
  else if (kind === 4)
    set(holder, key, Array.isArray(before) ? { ...before } : typeof before === "object" ? Object.values(before ?? {}) : null);
  else if (kind === 5) set(holder, snakeCase(key), before, key);
  else set(holder, key, typeof before === "string" ? `${before}!` : typeof before === "number" ? before + 0.5 : wrong);
  return root;
}

function remove(holder: Container | Json[], key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function set(holder: Container, key: string, value: Json, instead?: string): void {
  if (instead !== undefined) delete holder[instead];
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function collect(value: Json, places: [Container, string][], depth: number): void {
  if (depth === 0 || typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    places.push([value as Container, key]);
    collect(child, places, depth - 1);
  }
}
