/**
 * The syntax of RFC 6570 URI templates, and the expansion of one.
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

/** What a variable expands to; undefined and the empty list leave it out. */
export type TemplateValues = { readonly [name: string]: string | readonly string[] | undefined };

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

interface Rule {
  readonly first: string;
  readonly separator: string;
  /** `name=value` instead of the value alone. */
  readonly named: boolean;
  /** What follows the name of an empty value. */
  readonly empty: string;
  readonly encode: (text: string) => string;
}

/** RFC 6570, appendix A. */
const RULES: Readonly<Record<Operator, Rule>> = {
  "": { first: "", separator: ",", named: false, empty: "", encode: encodeValue },
  "+": { first: "", separator: ",", named: false, empty: "", encode: encodeReserved },
  "#": { first: "#", separator: ",", named: false, empty: "", encode: encodeReserved },
  ".": { first: ".", separator: ".", named: false, empty: "", encode: encodeValue },
  "/": { first: "/", separator: "/", named: false, empty: "", encode: encodeValue },
  ";": { first: ";", separator: ";", named: true, empty: "", encode: encodeValue },
  "?": { first: "?", separator: "&", named: true, empty: "=", encode: encodeValue },
  "&": { first: "&", separator: "&", named: true, empty: "=", encode: encodeValue },
};

export function ruleOf(operator: Operator): Rule {
  return RULES[operator];
}

/** The text of one expression. Every value is encoded, so that none can reach beyond its place (R19). */
export function expandExpression({ operator, variables }: Expression, values: TemplateValues): string {
  const rule = RULES[operator];
  const pieces: string[] = [];
  for (const variable of variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    if (value !== undefined && value.length >= (typeof value === "string" ? 0 : 1)) pieces.push(expandVariable(variable, value, rule));
  }
  return pieces.length === 0 ? "" : rule.first + pieces.join(rule.separator);
}

function expandVariable({ name, explode, prefix }: Variable, value: string | readonly string[], rule: Rule): string {
  const named = (text: string): string => (rule.named ? name + (text === "" ? rule.empty : `=${text}`) : text);
  if (typeof value === "string") return named(rule.encode(prefix === undefined ? value : Array.from(value).slice(0, prefix).join("")));
  const items = value.map(rule.encode);
  return explode ? items.map(named).join(rule.separator) : named(items.join(","));
}

/** All but unreserved characters, as UTF-8. */
function encodeValue(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** All but unreserved and reserved characters and what is percent-encoded already. */
function encodeReserved(text: string): string {
  return encodeURI(wellFormed(text))
    .replaceAll("%5B", "[")
    .replaceAll("%5D", "]")
    .replace(/%25([\dA-Fa-f]{2})/g, "%$1");
}

/** Half a surrogate pair has no UTF-8. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
