/**
 * Compiles a parsed template to a function that matches a URI in time linear in the URI.
 *
 * A template is literals with one variable between each two of them, and perhaps a query at the end. The matcher never backtracks:
 * `UriTemplate` refuses templates for which that is not possible.
 */
import { percentDecoded } from "../bytes.ts";
import { encodeReserved, isOpen, isQuery, ruleOf, type Expression, type ParsedTemplate, type Variable } from "./template-syntax.ts";

/**
 * The values of a URI; undefined if it does not match.
 * @param leavesOut whether parameters of a query that the template does not name are left out; else they do not match
 */
export type Matcher = (uri: string, leavesOut: boolean) => Record<string, string | string[]> | undefined;

/** One variable of the path, or all of `{;a,b}`. */
interface Slot {
  /** The variable, or the first of those with names. */
  readonly name: string;
  /** The variables of `{;a,b}`, which are written with their names. */
  readonly parameters: readonly Variable[] | undefined;
  /** What separates the items of an exploded variable. */
  readonly separator: string | undefined;
  readonly maxLength: number;
  /** Whether it can span `/`. */
  readonly open: boolean;
  /** The characters that its text must not contain. */
  readonly outside: RegExp | undefined;
}

/** Items of an exploded variable, or parameters of a query; a URI with more does not match. */
const MAX_ITEMS = 10_000;

/** Characters that end a simple variable, and those that end a list of segments. */
const SEGMENT_END = /[/?#]/;
const PATH_END = /[?#]/;

/** `literals[i]` comes before `slots[i]`; there is one more literal than slots. */
interface Path {
  readonly literals: readonly string[];
  readonly slots: readonly Slot[];
}

export function compileMatcher({ literals, expressions }: ParsedTemplate): Matcher {
  const last = expressions.at(-1);
  const query = last && isQuery(last) ? last : undefined;
  const path = toPath({ literals, expressions: query === undefined ? expressions : expressions.slice(0, -1) });
  if (query === undefined) return (uri) => matchPath(path, uri);
  const { variables } = query;
  return (uri, leavesOut) => {
    const cut = queryStart(query, uri);
    const values = matchPath(path, uri.slice(0, cut));
    if (values === undefined || cut === uri.length) return values;
    return matchParameters(uri.slice(cut + 1), { variables, separator: "&", leavesOut }, values) ? values : undefined;
  };
}

function toPath(template: ParsedTemplate): Path {
  const literals = template.literals.map(encodeReserved);
  const path: { readonly literals: string[]; readonly slots: Slot[] } = { literals: [literals[0] ?? ""], slots: [] };
  for (const [at, expression] of template.expressions.entries()) {
    const indexes = isNamed(expression) ? [0] : expression.variables.keys();
    for (const index of indexes) {
      path.literals.push(`${path.literals.pop()}${textBefore(expression, index)}`, "");
      path.slots.push(toSlot(expression, index));
    }
    path.literals.push(`${path.literals.pop()}${literals[at + 1]}`);
  }
  return path;
}

/** Whether the values of an expression have their names before them, so that they may come in any order. */
function isNamed({ operator }: Expression): boolean {
  return ruleOf(operator).named;
}

/** What the expression itself writes before its variable: `,`, `/`, `;`. */
function textBefore({ operator }: Expression, index: number): string {
  const rule = ruleOf(operator);
  return index === 0 ? rule.first : rule.separator;
}

function toSlot(expression: Expression, index: number): Slot {
  const { operator, variables } = expression;
  const variable = variables[index]!;
  const { name, explode, prefix = Number.POSITIVE_INFINITY } = variable;
  const parameters = isNamed(expression) ? variables : undefined;
  const separator = explode ? ruleOf(operator).separator : undefined;
  const open = isOpen(expression, variable);
  return { name, parameters, separator, maxLength: prefix, open, outside: open ? (operator === "/" ? PATH_END : undefined) : SEGMENT_END };
}

function matchPath({ literals, slots }: Path, text: string): Record<string, string | string[]> | undefined {
  const first = literals[0] ?? "";
  const tail = slots.length === 0 ? "" : (literals.at(-1) ?? "");
  if (slots.length === 0) return text === first ? {} : undefined;
  let start = first.length;
  let end = text.length - tail.length;
  if (end <= start || !text.startsWith(first) || !text.endsWith(tail)) return undefined;
  const values: Record<string, string | string[]> = {};
  const open = slots.findIndex((slot) => slot.open);
  const middle = open < 0 ? slots.length - 1 : open;
  for (let i = 0; i < middle; i++) {
    const literal = literals[i + 1] ?? "";
    const at = text.indexOf(literal, start + 1); // A value is never empty.
    if (at < 0 || at + literal.length >= end || !assign(values, slots[i], text.slice(start, at))) return undefined;
    start = at + literal.length;
  }
  for (let i = slots.length - 1; i > middle; i--) {
    const literal = literals[i] ?? "";
    const at = text.lastIndexOf(literal, end - 1 - literal.length);
    if (at <= start || !assign(values, slots[i], text.slice(at + literal.length, end))) return undefined;
    end = at;
  }
  return assign(values, slots[middle], text.slice(start, end)) ? values : undefined;
}

/** Assigns the text of one variable; false if it cannot be its value. */
function assign(values: Record<string, string | string[]>, slot: Slot | undefined, text: string): boolean {
  if (slot === undefined || slot.outside?.test(text) === true) return false;
  if (slot.parameters !== undefined) {
    const { parameters: variables } = slot;
    const matches = matchParameters(text, { variables, separator: ";", leavesOut: false }, values);
    return matches && variables.every(({ name }) => Object.hasOwn(values, name));
  }
  if (slot.separator === undefined) {
    const value = percentDecoded(text);
    if (value === undefined || isLonger(value, slot.maxLength)) return false;
    values[slot.name] = value;
    return true;
  }
  const items = decodeAll(text.split(slot.separator, MAX_ITEMS + 1));
  if (items === undefined || items.length > MAX_ITEMS) return false;
  values[slot.name] = items;
  return true;
}

/** Whether a value has more than `limit` characters; a limit has at most four digits. */
function isLonger(value: string, limit: number): boolean {
  return value.length > limit && Array.from(value.slice(0, limit * 2 + 2)).length > limit;
}

/** Where the query of that kind begins; the length of the URI if it has none. */
function queryStart({ operator }: Expression, uri: string): number {
  const question = uri.indexOf("?");
  const start = operator === "?" || question < 0 ? question : uri.indexOf("&", question);
  return start < 0 ? uri.length : start;
}

interface Parameters {
  readonly variables: readonly Variable[];
  readonly separator: ";" | "&";
  /** Whether parameters without a variable are left out; else they do not match. */
  readonly leavesOut: boolean;
}

/** Assigns `name=value` pairs in any order. Only exploded variables come twice. */
function matchParameters(
  text: string,
  { variables, separator, leavesOut }: Parameters,
  values: Record<string, string | string[]>,
): boolean {
  const parameters = text.split(separator, MAX_ITEMS + 1);
  if (parameters.length > MAX_ITEMS) return false;
  for (const parameter of parameters) {
    const equals = parameter.indexOf("=");
    const name = equals < 0 ? parameter : parameter.slice(0, equals);
    const variable = variables.find((each) => each.name === name);
    if (variable === undefined && leavesOut) continue;
    const value = percentDecoded(equals < 0 ? "" : parameter.slice(equals + 1));
    if (variable === undefined || value === undefined || isLonger(value, variable.prefix ?? Number.POSITIVE_INFINITY)) return false;
    const before = values[name];
    if (variable.explode) {
      if (Array.isArray(before)) before.push(value);
      else values[name] = [value];
    } else if (before === undefined) values[name] = value;
    else return false;
  }
  return true;
}

function decodeAll(texts: readonly string[]): string[] | undefined {
  const values: string[] = [];
  for (const text of texts) {
    const value = percentDecoded(text);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}
