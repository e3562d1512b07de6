/**
 * Parses URI templates (RFC 6570), and says how each operator writes its variables.
 *
 * Levels 1 to 4 for strings and lists. Associative arrays are left out: MCP has no way to supply one.
 */

/** What comes before the variables of an expression; empty for simple expansion. */
export type Operator = "" | "+" | "#" | "." | "/" | ";" | "?" | "&";

export interface Variable {
  readonly name: string;
  /** `{list*}`: each item by itself. */
  readonly explode: boolean;
  /** `{name:3}`: at most so many characters. */
  readonly prefix: number | undefined;
}

export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** A template: `literals[i]` comes before `expressions[i]`, and there is one more literal than expressions. As written. */
export interface ParsedTemplate {
  readonly literals: readonly string[];
  readonly expressions: readonly Expression[];
}

/** What can be an expression, and unmatched braces. */
const BRACES = /\{[^{}]*\}?|\}/g;
/** An optional operator, and a list of variables. */
const EXPRESSION = /^\{([+#./;?&]?)([^{}]+)\}$/;
/** A name, whose dots stand between other characters, and `*` or a length. */
const VARIABLE = /^((?:\w|%[\dA-F]{2})+(?:\.(?:\w|%[\dA-F]{2})+)*)(?:(\*)|:([1-9]\d{0,3}))?$/i;

/** Parses a template in time linear in its length. @throws TypeError that names the part of the text that is invalid */
export function parseTemplate(template: string): ParsedTemplate {
  const [literals, expressions]: [string[], Expression[]] = [[], []];
  let end = 0;
  for (const { 0: text, index } of template.matchAll(BRACES)) {
    const expression = parseExpression(text);
    if (expression === undefined)
      throw new TypeError(`URI template ${JSON.stringify(template)}: ${JSON.stringify(text)} is not an expression`);
    literals.push(template.slice(end, index));
    expressions.push(expression);
    end = index + text.length;
  }
  literals.push(template.slice(end));
  return { literals, expressions };
}

function parseExpression(text: string): Expression | undefined {
  const [, operator, list = ""] = EXPRESSION.exec(text) ?? [];
  const variables = list.split(",").map(parseVariable);
  return variables.every((variable) => variable !== undefined) ? { operator: operator as Operator, variables } : undefined; // Each is a variable by its pattern.
}

function parseVariable(text: string): Variable | undefined {
  const [, name, star, prefix] = VARIABLE.exec(text) ?? [];
  if (name === undefined || name === "__proto__") return undefined;
  return { name, explode: star !== undefined, prefix: prefix === undefined ? undefined : Number(prefix) };
}

// ---- how operators write their variables: RFC 6570, appendix A ----

/** What comes between the variables of an expression, if it is not `,`. */
const SEPARATORS: { readonly [Other in Operator]?: string } = { ".": ".", "/": "/", ";": ";", "?": "&", "&": "&" };

/** How an expression writes its variables. Expanding and matching both follow it. */
export interface Rule {
  /** What comes before all of them. */
  readonly first: string;
  readonly separator: string;
  /** `name=value` instead of the value alone. */
  readonly named: boolean;
}

export function ruleOf(operator: Operator): Rule {
  const separator = SEPARATORS[operator] ?? ",";
  return { first: operator === "+" ? "" : operator, separator, named: separator === ";" || separator === "&" };
}

/** Whether an expression is a query, whose variables may come in any order, or not at all. */
export function isQuery({ operator }: Expression): boolean {
  return operator === "?" || operator === "&";
}

/** Whether a variable of the path can span `/`. */
export function isOpen({ operator }: Expression, { explode }: Variable): boolean {
  return operator === "+" || operator === "#" || (operator === "/" && explode);
}

/** Encodes all but unreserved and reserved characters and what is percent-encoded already. */
export function encodeReserved(text: string): string {
  return encodeURI(toWellFormed(text))
    .replaceAll("%5B", "[")
    .replaceAll("%5D", "]")
    .replace(/%25([\dA-Fa-f]{2})/g, "%$1");
}

/** Replaces unpaired surrogates, which have no UTF-8 form. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
