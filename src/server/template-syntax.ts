/**
 * The syntax of RFC 6570 URI templates.
 *
 * Levels 1 to 4 for strings and lists; associative arrays are left out, because nothing in MCP can supply one.
 */

/** What stands in front of the variables of an expression; empty for simple expansion. */
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

/** Literal text, percent-encoded where a URI needs it, or an expression. */
export type TemplatePart = string | Expression;

const EXPRESSION = /^([+#./;?&]?)(.+)$/s;
const VARIABLE = /^((?:\w|%[\dA-Fa-f]{2})(?:[\w.]|%[\dA-Fa-f]{2})*)(\*|:[1-9]\d{0,3})?$/;

/** @throws TypeError saying what is wrong with the template */
export function parseTemplate(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let position = 0;
  while (position < template.length) {
    const open = template.indexOf("{", position);
    const literal = template.slice(position, open < 0 ? undefined : open);
    if (literal.includes("}")) throw new TypeError(`URI template ${JSON.stringify(template)}: "}" without "{"`);
    if (literal !== "") parts.push(encodeReserved(literal));
    if (open < 0) break;
    const close = template.indexOf("}", open);
    if (close < 0) throw new TypeError(`URI template ${JSON.stringify(template)}: "{" without "}"`);
    parts.push(parseExpression(template.slice(open + 1, close), template));
    position = close + 1;
  }
  return parts;
}

function parseExpression(text: string, template: string): Expression {
  const [, operator = "", list = ""] = EXPRESSION.exec(text) ?? [];
  const variables = list.split(",").map((spec) => {
    const [, name, modifier] = VARIABLE.exec(spec) ?? [];
    if (name === undefined || name === "__proto__")
      throw new TypeError(`URI template ${JSON.stringify(template)}: {${text}} is not an expression`);
    return { name, explode: modifier === "*", prefix: modifier?.startsWith(":") === true ? Number(modifier.slice(1)) : undefined };
  });
  return { operator: operator as Operator, variables }; // one of them, by the expression above
}

/** What stands between the variables of an expression, where it is not `,`. */
const SEPARATORS: { readonly [Other in Operator]?: string } = { ".": ".", "/": "/", ";": ";", "?": "&", "&": "&" };

/** How an expression writes its variables: RFC 6570, appendix A. */
export interface Rule {
  /** What stands before all of them. */
  readonly first: string;
  readonly separator: string;
  /** `name=value` instead of the value alone. */
  readonly named: boolean;
}

export function ruleOf(operator: Operator): Rule {
  const separator = SEPARATORS[operator] ?? ",";
  return { first: operator === "+" ? "" : operator, separator, named: separator === ";" || separator === "&" };
}

/** All but unreserved and reserved characters and what is percent-encoded already. */
export function encodeReserved(text: string): string {
  return encodeURI(wellFormed(text))
    .replaceAll("%5B", "[")
    .replaceAll("%5D", "]")
    .replace(/%25([\dA-Fa-f]{2})/g, "%$1");
}

/** Half a surrogate pair has no UTF-8. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
