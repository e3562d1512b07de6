/**
 * The limits of a schema, checked before anything else reads it: a peer's schema is untrusted input.
 *
 * One walk with its own stack, so that no depth can exhaust the runtime's; a cyclic object ends at the depth limit.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";

/** Limits on schemas and on the work of validating one value. */
export interface SchemaLimits {
  /** Nesting of objects and arrays in a schema. Default 64. */
  readonly schemaDepth: number;
  /** Objects in a schema: at least the number of subschemas. Default 10 000. */
  readonly subschemas: number;
  /** Values of any kind in a schema. Default 100 000. */
  readonly schemaNodes: number;
  /** UTF-16 code units of one `pattern`. Default 1 024. */
  readonly patternLength: number;
  /** Instructions of all patterns of a schema together, by estimate. Default 8 000. */
  readonly patternSize: number;
  /** Steps of one validation, about 30 ns each. Default 1 000 000. */
  readonly validationSteps: number;
  /** How deep `$ref`s may nest while one value is validated. Default 512. */
  readonly refDepth: number;
}

export const defaultSchemaLimits: SchemaLimits = {
  schemaDepth: 64,
  subschemas: 10_000,
  schemaNodes: 100_000,
  patternLength: 1_024,
  patternSize: 8_000,
  validationSteps: 1_000_000,
  refDepth: 512,
};

/** Walks a schema and counts. @throws LimitExceededError naming the limit */
export function assertBoundedSchema(schema: object, limits: SchemaLimits): void {
  const stack: object[] = [schema];
  const depths: number[] = [1];
  let objects = 0;
  let nodes = 0;
  for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
    const depth = depths.pop() ?? 0;
    if (depth > limits.schemaDepth) throw new LimitExceededError("schemaDepth", limits.schemaDepth);
    if (!Array.isArray(current) && ++objects > limits.subschemas) throw new LimitExceededError("subschemas", limits.subschemas);
    for (const key in current) {
      if (++nodes > limits.schemaNodes) throw new LimitExceededError("schemaNodes", limits.schemaNodes);
      const child = (current as JsonObject)[key]; // members and items alike
      if (typeof child !== "object" || child === null) continue;
      stack.push(child);
      depths.push(depth + 1);
    }
  }
}
