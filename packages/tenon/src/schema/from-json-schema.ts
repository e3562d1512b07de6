/**
 * The TypeScript type of a JSON Schema, if the compiler knows the schema's own type.
 *
 * It reads `const`, `enum`, `type` (one or several), `properties` with `required`, `items`, `additionalProperties`, and
 * `anyOf`/`oneOf`. What it cannot read becomes `unknown`: the type is never narrower than the schema.
 */

/** The type of values that a JSON Schema accepts; `unknown` if the schema's type is not known or has no constraint. */
export type FromJsonSchema<S> = S extends false
  ? never
  : S extends { readonly const: infer C }
    ? Mutable<C>
    : S extends { readonly enum: readonly (infer E)[] }
      ? Mutable<E>
      : S extends { readonly type: infer T }
        ? OfType<T extends readonly (infer One)[] ? One : T, S>
        : S extends { readonly anyOf: readonly (infer B)[] } | { readonly oneOf: readonly (infer B)[] }
          ? FromJsonSchema<B>
          : unknown;

/** Distributes over the names in `type: ["string", "null"]`. */
type OfType<T, S> = T extends keyof Scalars ? Scalars[T] : T extends "array" ? ArrayOf<S> : T extends "object" ? ObjectOf<S> : unknown;

/** The types of `string`, `number`, `integer`, `boolean` and `null` in `type`, by the names of JSON Schema (MCP schema). */
interface Scalars {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

/** With `prefixItems`, `items` describes the rest only. */
type ArrayOf<S> = S extends { readonly prefixItems: unknown } | { readonly items: readonly unknown[] }
  ? unknown[]
  : S extends { readonly items: infer I }
    ? FromJsonSchema<I>[]
    : unknown[];

/** Members by `properties`, optional unless `required` names them; without those, the type of `additionalProperties`. */
type ObjectOf<S> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromJsonSchema<P[K]> } & {
        -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromJsonSchema<P[K]>;
      }
    >
  : S extends { readonly patternProperties: unknown }
    ? { [key: string]: unknown }
    : S extends { readonly additionalProperties: infer A }
      ? { [key: string]: FromJsonSchema<A> }
      : { [key: string]: unknown };

/** The names in `required`. */
type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;

/** One object type instead of an intersection, so that editors show its members. */
type Flat<T> = { [K in keyof T]: T[K] };

/** `as const` makes literals read-only; the values themselves are not. */
type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
