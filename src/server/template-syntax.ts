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

/** A template: `literals[i]` stands before `expressions[i]`, and there is one more literal than expressions. As written. */
export interface Template {
  readonly literals: readonly string[];
  readonly expressions: readonly Expression[];
}

const EXPRESSION = /\{([^{}]*)\}/;
const VARIABLE = /^((?:\w|%[\dA-Fa-f]{2})(?:[\w.]|%[\dA-Fa-f]{2})*)(?:(\*)|:([1-9]\d{0,3}))?$/;

/** @throws TypeError saying what is wrong with the template */
export function parseTemplate(template: string): Template {
  const [literals, expressions]: [string[], Expression[]] = [[], []];
  for (const [index, text] of template.split(EXPRESSION).entries()) {
    if (index % 2 === 1) expressions.push(parseExpression(text, template));
    else if (/[{}]/.test(text)) throw new TypeError(`URI template ${JSON.stringify(template)}: "{" or "}" without the other`);
    else literals.push(text);
  }
  return { literals, expressions };
}

function parseExpression(text: string, template: string): Expression {
  const list = text.replace(/^[+#./;?&]/, "");
  const variables = list.split(",").map((spec) => {
    const [, name, explode, prefix] = VARIABLE.exec(spec) ?? [];
    if (name === undefined || name === "__proto__")
      throw new TypeError(`URI template ${JSON.stringify(template)}: {${text}} is not an expression`);
    return { name, explode: explode !== undefined, prefix: prefix === undefined ? undefined : Number(prefix) };
  });
  return { operator: text.slice(0, text.length - list.length) as Operator, variables }; // one of them, by the expression above
}
