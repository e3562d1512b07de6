/** The expansion of RFC 6570 URI templates. Every value is encoded, so that no value can change another part of the URI: matching finds it again. */
import { encodeReserved, parseTemplate, ruleOf, toWellFormed, type Expression, type Operator, type Variable } from "./template-syntax.ts";
import type { TemplateVariables } from "./uri-template.ts";

/** The values for the variables of a template; undefined and the empty list omit one. */
export type TemplateValues<Template extends string> = {
  readonly [Name in keyof TemplateVariables<Template>]?: string | readonly string[] | undefined;
};

/**
 * Expands a template with these values: `expandUriTemplate("users://{id}", { id: "a/b" })` is `users://a%2Fb`.
 * @throws TypeError if the text is not a valid template
 */
export function expandUriTemplate<const Template extends string>(template: Template, values: TemplateValues<Template>): string {
  const variables = values as { readonly [name: string]: string | readonly string[] | undefined }; // readable by any name
  const { literals, expressions } = parseTemplate(template);
  const expanded = expressions.map((expression) => expandExpression(expression, variables));
  return literals.map((literal, index) => encodeReserved(literal) + (expanded[index] ?? "")).join("");
}

function expandExpression(
  { operator, variables }: Expression,
  values: { readonly [name: string]: string | readonly string[] | undefined },
): string {
  const pieces: string[] = [];
  for (const variable of variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    if (value !== undefined && value.length >= (typeof value === "string" ? 0 : 1)) pieces.push(expandVariable(operator, variable, value));
  }
  const { first, separator } = ruleOf(operator);
  return pieces.length === 0 ? "" : first + pieces.join(separator);
}

function expandVariable(operator: Operator, { name, explode, prefix }: Variable, value: string | readonly string[]): string {
  const encode = operator === "#" ? encodeReserved : operator === "+" ? encodePath : encodeValue;
  const named = (text: string): string => withName(operator, name, text);
  if (typeof value === "string") return named(encode(prefix === undefined ? value : Array.from(value).slice(0, prefix).join("")));
  const items = value.map(encode);
  return explode ? items.map(named).join(ruleOf(operator).separator) : named(items.join(","));
}

/** `name=value` where the operator says so, else the value alone. */
function withName(operator: Operator, name: string, text: string): string {
  if (!ruleOf(operator).named) return text;
  return operator === ";" && text === "" ? name : `${name}=${text}`;
}

/** RFC 6570 does not encode `#` here either, where it would end the path: what follows would be a fragment. */
function encodePath(text: string): string {
  return encodeReserved(text).replaceAll("#", "%23");
}

/** All but unreserved characters, as UTF-8. */
function encodeValue(text: string): string {
  return encodeURIComponent(toWellFormed(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
