/**
 * Which URI templates can be matched without ever taking a choice back: all others are refused where they are written.
 *
 * What a matcher takes for granted, and all of it that registering needs; `uri-template.ts` says what it is good for.
 */
import { parseTemplate, type Expression, type Template, type Variable } from "./template-syntax.ts";

/**
 * @throws TypeError when it is no template, or one that cannot be matched unambiguously: two variables with nothing
 * between them, two that span `/`, a name used twice, or something after a query
 */
export function parseMatchable(template: string): Template {
  const parsed = parseTemplate(template);
  const reason = ambiguityOf(parsed);
  if (reason !== undefined) throw new TypeError(`URI template ${JSON.stringify(template)} cannot be matched: ${reason}`);
  return parsed;
}

/** Whether an expression is a query, whose variables may come in any order, or not at all. */
export function isQuery({ operator }: Expression): boolean {
  return operator === "?" || operator === "&";
}

/** Whether a variable of the path can span `/`. */
export function isOpen({ operator }: Expression, { explode }: Variable): boolean {
  return operator === "+" || operator === "#" || (operator === "/" && explode);
}

function ambiguityOf({ literals, expressions }: Template): string | undefined {
  const names = new Set<string>();
  let open = 0;
  for (const [index, expression] of expressions.entries()) {
    const { operator, variables } = expression;
    if (isQuery(expression) && (index + 1 < expressions.length || literals.at(-1) !== "")) return "a query must be its end";
    if (index > 0 && literals[index] === "" && (operator === "" || operator === "+")) return "there is nothing between two variables";
    for (const [at, variable] of variables.entries()) {
      if (names.has(variable.name)) return "a variable is used twice";
      names.add(variable.name);
      if (isQuery(expression)) continue;
      if (variable.explode && at + 1 < variables.length) return "an exploded variable must be the last of its expression";
      if (isOpen(expression, variable) && ++open > 1) return 'two variables span "/"';
    }
  }
  return undefined;
}
