/**
 * The TypeScript type a JSON Schema describes, where the schema's own type is known to the compiler.
 *
 * It reads `const`, `enum`, `type` (one or several), `properties` with `required`, `items`, `additionalProperties`, and
 * `anyOf`/`oneOf`. Whatever it cannot read is `unknown`: never a type narrower than what the schema lets through.
 */

/** The type of values a JSON Schema accepts; `unknown` where the schema's type is not known or says nothing. */
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

/** What `string`, `number`, `integer`, `boolean` and `null` stand for in `type` (A8.1). */
interface Scalars {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

/** With `prefixItems`, `items` is about the rest only. */
type ArrayOf<S> = S extends { readonly prefixItems: unknown } | { readonly items: readonly unknown[] }
  ? unknown[]
  : S extends { readonly items: infer I }
    ? FromJsonSchema<I>[]
    : unknown[];

/** Members by `properties`, optional unless `required` names them; without those, whatever `additionalProperties` says. */
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

/** One object type instead of an intersection, so that editors show what is meant. */
type Flat<T> = { [K in keyof T]: T[K] };

/** `as const` makes literals read-only; the values themselves are not. */
type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
