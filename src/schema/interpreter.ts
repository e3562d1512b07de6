/**
 * JSON Schema validation without code generation: a schema becomes a tree of closures.
 *
 * This one validator runs everywhere, also where `eval` is forbidden. It compiles in microseconds, runs `pattern`s in
 * linear time, counts its steps, and never changes what it is given: no defaults, no coercion, no removed members.
 * `format` and the `content…` keywords are annotations and assert nothing.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { arrayKeywords } from "./array-keywords.ts";
import { dialectOf } from "./dialect.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import type { KeywordEntry, Node, Site } from "./keyword.ts";
import { logicKeywords } from "./logic-keywords.ts";
import { objectKeywords } from "./object-keywords.ts";
import type { PatternSet } from "./pattern.ts";
import { Run, type Check } from "./run.ts";
import { SchemaDocument } from "./schema-document.ts";
import type { SchemaLimits } from "./schema-limits.ts";
import type { Validation } from "./standard-schema.ts";
import { unevaluatedKeywords } from "./unevaluated-keywords.ts";
import { valueKeywords } from "./value-keywords.ts";

/** In the order they are checked: cheap and telling ones first, `unevaluated…` last. */
const KEYWORDS: readonly (readonly [string, KeywordEntry])[] = [valueKeywords, objectKeywords, arrayKeywords, logicKeywords, unevaluatedKeywords]
  .flatMap((table) => Object.entries(table));

/**
 * Compiles a schema that is within the limits. The schema must not change afterwards.
 *
 * @param patterns what runs its `pattern`s; undefined where it has none
 * @returns a validator, which throws LimitExceededError `validationSteps` or `refDepth` for too much work
 * @throws InvalidSchemaError
 */
export function interpretSchema(schema: JsonObject, limits: SchemaLimits, patterns?: PatternSet): (value: unknown) => Validation {
  const compiler = new Compiler(new SchemaDocument(schema, dialectOf(schema["$schema"])), patterns);
  const { check } = compiler.compile(schema);
  const run = new Run(limits);
  return (value) => {
    run.reset();
    return check(value, run) ? { value } : { issues: [run.issue()] };
  };
}

const ALWAYS: Check = () => true;
const NEVER: Check = (_value, run) => run.fail("must not be there");

class Compiler {
  readonly #document: SchemaDocument;
  readonly #patterns: PatternSet | undefined;
  readonly #nodes = new Map<object, Node>();
  /** Nodes that were asked for and are not compiled yet; a list instead of recursion, whatever the schema's shape. */
  readonly #open: Node[] = [];

  constructor(document: SchemaDocument, patterns: PatternSet | undefined) {
    this.#document = document;
    this.#patterns = patterns;
  }

  compile(schema: JsonObject): Node {
    const root = this.#node(schema, "");
    for (let node = this.#open.pop(); node !== undefined; node = this.#open.pop()) {
      if (node.site !== undefined) node.check = this.#check(node.site);
    }
    return root;
  }

  #node(schema: unknown, where: string): Node {
    if (typeof schema === "boolean") return { schema, check: schema ? ALWAYS : NEVER, site: undefined };
    if (!isJsonObject(schema)) throw new InvalidSchemaError("must be an object or a boolean", where);
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node: Node = { schema, check: NEVER, site: this.#site(schema, where) };
    this.#nodes.set(schema, node);
    this.#open.push(node);
    return node;
  }

  #site(schema: JsonObject, where: string): Site {
    const targets = new Map<string, Node>();
    return {
      schema,
      where,
      cost: costOf(schema),
      dialect: this.#document.dialect,
      child: (child, suffix) => this.#node(child, `${where}/${suffix}`),
      target: (keyword) => {
        const known = targets.get(keyword);
        if (known !== undefined) return known;
        const location = `${where}/${keyword}`;
        const resolve = keyword === "$ref" ? "resolve" : "resolveDynamic";
        const target = this.#node(this.#document[resolve](schema, schema[keyword], location), location);
        targets.set(keyword, target);
        return target;
      },
      pattern: (source, suffix) => {
        if (this.#patterns === undefined) throw new InvalidSchemaError("patterns are not available", `${where}/${suffix}`);
        return this.#patterns.get(source, `${where}/${suffix}`);
      },
    };
  }

  /** Every keyword of one schema, behind one step count. */
  #check(site: Site): Check {
    const { schema, dialect } = site;
    const alone = dialect <= 7 && "$ref" in schema; // until draft-07, `$ref` hides its siblings
    const checks: Check[] = [];
    for (const [name, [since, until, keyword]] of KEYWORDS) {
      if (!Object.hasOwn(schema, name) || dialect < since || dialect > until || (alone && name !== "$ref")) continue;
      const check = keyword(schema[name], site);
      if (check !== undefined) checks.push(check);
    }
    return sequence(checks, site.cost);
  }
}

/** Steps for looking at a value once: they grow with the lists the value is compared against. */
function costOf(schema: JsonObject): number {
  let cost = 1;
  for (const argument of Object.values(schema)) {
    if (typeof argument === "object" && argument !== null) cost += Object.keys(argument).length / 8;
  }
  return Math.ceil(cost);
}

function sequence(checks: readonly Check[], cost: number): Check {
  return (value, run) => {
    run.spend(cost);
    for (const check of checks) if (!check(value, run)) return false;
    return true;
  };
}
