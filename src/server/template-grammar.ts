/**
 * The grammar of RFC 6570 URI templates, as far as registering needs it: whether a text is one, and what its variables are.
 *
 * Levels 1 to 4 for strings and lists; associative arrays are left out, because nothing in MCP can supply one.
 */

/** `{`, an operator or none, variables with their modifiers, `}`. Captures the operator and the list. Linear in the text. */
export const EXPRESSION: RegExp =
  /\{([+#./;?&]?)((?:(?:\w|%[\dA-F]{2})(?:[\w.]|%[\dA-F]{2})*(?:\*|:[1-9]\d{0,3})?(?:,(?!\})|(?=\})))+)\}/gi;

/**
 * The names of the variables of a template, in order.
 * @throws TypeError saying what is wrong with the template
 */
export function variablesOf(template: string): readonly string[] {
  const names = Array.from(template.matchAll(EXPRESSION), ([, , list = ""]) => list.replace(/\*|:\d+/g, "").split(",")).flat();
  const wrong = names.includes("__proto__") ? "{__proto__}" : /\{[^{}\n]*\}?|\}/.exec(template.replace(EXPRESSION, "\n"))?.[0];
  if (wrong !== undefined) throw new TypeError(`URI template ${JSON.stringify(template)}: ${JSON.stringify(wrong)} is not an expression`);
  return names;
}
