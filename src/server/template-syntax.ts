/** URI templates (RFC 6570) taken apart: what expanding and matching go by. Which texts are templates says `template-grammar.ts`. */
import { EXPRESSION, variablesOf } from "./template-grammar.ts";

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

/** @throws TypeError saying what is wrong with the template */
export function parseTemplate(template: string): Template {
  variablesOf(template);
  const [literals, expressions]: [string[], Expression[]] = [[], []];
  let end = 0;
  for (const { 0: text, 1: operator, 2: list = "", index } of template.matchAll(EXPRESSION)) {
    literals.push(template.slice(end, index));
    expressions.push({ operator: operator as Operator, variables: list.split(",").map(toVariable) }); // one of them, by the grammar
    end = index + text.length;
  }
  literals.push(template.slice(end));
  return { literals, expressions };
}

function toVariable(text: string): Variable {
  const [name = "", prefix] = text.split(":");
  const explode = name.endsWith("*");
  return { name: explode ? name.slice(0, -1) : name, explode, prefix: prefix === undefined ? undefined : Number(prefix) };
}
