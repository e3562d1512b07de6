/**
 * JSON Schema validation without code generation: a schema becomes a tree of closures.
 *
 * This one validator runs everywhere, also on runtimes that forbid `eval`. It compiles in microseconds, runs `pattern`s in linear
 * time, counts its steps, and never changes the value: no defaults, no coercion, no removed members. `format` and the `content…`
 * keywords are annotations and assert nothing.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { arrayKeywords } from "./array-keywords.ts";
import { dialectOf, type Dialect } from "./dialect.ts";
import { faultsOf } from "./faults.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import type { KeywordEntry, Node, Site } from "./keyword.ts";
import { logicKeywords } from "./logic-keywords.ts";
import { objectKeywords } from "./object-keywords.ts";
import type { LinearPattern, PatternSet } from "./pattern.ts";
import { runAll, toValidation, type Check } from "./run.ts";
import { SchemaDocument } from "./schema-document.ts";
import type { SchemaLimits } from "./schema-limits.ts";
import type { Validation } from "./standard-schema.ts";
import { unevaluatedKeywords } from "./unevaluated-keywords.ts";
import { valueKeywords } from "./value-keywords.ts";

interface Ranked {
  /** Cheap and selective keywords are checked first, `unevaluated…` last. */
  readonly rank: number;
  readonly entry: KeywordEntry;
}

const KEYWORDS: ReadonlyMap<string, Ranked> = new Map(
  [valueKeywords, objectKeywords, arrayKeywords, logicKeywords, unevaluatedKeywords]
    .flatMap((table) => Object.entries(table))
    .map(([name, entry], rank) => [name, { rank, entry }] as const),
);

/**
 * Compiles a schema that is within the limits. The schema must not change afterwards.
 *
 * @param patterns runs its `pattern`s; undefined if it has none
 * @returns a validator, which throws LimitExceededError `validationSteps` or `refDepth` if a value needs too much work
 * @throws InvalidSchemaError
 */
export function interpretSchema(schema: JsonObject, limits: SchemaLimits, patterns?: PatternSet): (value: unknown) => Validation {
  const root = new Compiler(new SchemaDocument(schema, dialectOf(schema["$schema"])), patterns).compile(schema);
  return toValidation(root.check, (value, run) => faultsOf(root, value, run), limits);
}

const ALWAYS: Node = { schema: true, check: () => true, site: undefined };
const NEVER: Node = { schema: false, check: (_value, run) => run.fail("must not be there"), site: undefined };

class Compiler {
  readonly document: SchemaDocument;
  readonly patterns: PatternSet | undefined;
  readonly #nodes = new Map<object, SchemaNode>();
  /** Nodes that are referenced and not compiled yet; a list instead of recursion, so that no schema exhausts the stack. */
  readonly #open: SchemaNode[] = [];

  constructor(document: SchemaDocument, patterns: PatternSet | undefined) {
    this.document = document;
    this.patterns = patterns;
  }

  compile(schema: JsonObject): Node {
    const root = this.node(schema, "");
    for (let node = this.#open.pop(); node !== undefined; node = this.#open.pop()) node.compile();
    return root;
  }

  node(schema: unknown, where: string): Node {
    if (typeof schema === "boolean") return schema ? ALWAYS : NEVER;
    if (!isJsonObject(schema)) throw new InvalidSchemaError("must be an object or a boolean", where);
    let node = this.#nodes.get(schema);
    if (node === undefined) {
      node = new SchemaNode(this, schema, where);
      this.#nodes.set(schema, node);
      this.#open.push(node);
    }
    return node;
  }
}

/** One schema object, as a node and as the site of its keywords. */
class SchemaNode implements Node, Site {
  readonly schema: JsonObject;
  readonly where: string;
  readonly cost: number;
  check: Check = NEVER.check;
  readonly #compiler: Compiler;
  #targets: Map<string, Node> | undefined;

  constructor(compiler: Compiler, schema: JsonObject, where: string) {
    this.#compiler = compiler;
    this.schema = schema;
    this.where = where;
    this.cost = costOf(schema);
  }

  get site(): Site {
    return this;
  }

  get dialect(): Dialect {
    return this.#compiler.document.dialect;
  }

  compile(): void {
    const checks: Check[] = [];
    for (const name of keywordsOf(this)) {
      const check = KEYWORDS.get(name)?.entry[2](this.schema[name], this);
      if (check !== undefined) checks.push(check);
    }
    this.check = runAll(checks, this.cost);
  }

  child(schema: unknown, suffix: string): Node {
    return this.#compiler.node(schema, `${this.where}/${suffix}`);
  }

  target(keyword: "$ref" | "$dynamicRef" | "$recursiveRef"): Node {
    const known = this.#targets?.get(keyword);
    if (known !== undefined) return known;
    const location = `${this.where}/${keyword}`;
    const resolve = keyword === "$ref" ? "resolve" : "resolveDynamic";
    const target = this.#compiler.node(this.#compiler.document[resolve](this.schema, this.schema[keyword], location), location);
    this.#targets ??= new Map();
    this.#targets.set(keyword, target);
    return target;
  }

  pattern(source: string, suffix: string): LinearPattern {
    const location = `${this.where}/${suffix}`;
    if (this.#compiler.patterns === undefined) throw new InvalidSchemaError("patterns are not available", location);
    return this.#compiler.patterns.get(source, location);
  }
}

/** The keywords of a schema that its dialect defines, in the order of their checks. */
function keywordsOf({ schema, dialect }: Site): readonly string[] {
  if (dialect <= 7 && "$ref" in schema) return ["$ref"]; // up to draft-07, `$ref` hides its siblings
  const names = Object.keys(schema).filter((name) => {
    const entry = KEYWORDS.get(name)?.entry;
    return entry !== undefined && dialect >= entry[0] && dialect <= entry[1];
  });
  return names.length < 2 ? names : names.sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(name: string): number {
  return KEYWORDS.get(name)?.rank ?? 0;
}

/** Steps for checking a value once: they grow with the lists that the value is compared with. */
function costOf(schema: JsonObject): number {
  let cost = 1;
  for (const keyword in schema) {
    const argument = schema[keyword];
    if (typeof argument === "object" && argument !== null) cost += Object.keys(argument).length / 8;
  }
  return Math.ceil(cost);
}
