/**
 * Which URI templates can be matched without ever taking a choice back: all others are refused where they are written.
 *
 * What a matcher takes for granted, and all of it that registering needs; `uri-template.ts` says what it is good for.
 */
import { variablesOf } from "./template-grammar.ts";

/** What no matcher could tell apart, in a text that is a template. */
const AMBIGUOUS: readonly (readonly [RegExp, reason: string])[] = [
  [/\{[?&][^}]*\}./s, "a query must be its end"],
  [/\}\{[^#./;?&]/, "there is nothing between two variables"],
  [/\{[^?&}][^}]*\*,/, "an exploded variable must be the last of its expression"],
];
/** Expressions whose variables can span `/`; of those in segments only the last, which is exploded. */
const OPEN = /\{(?:[+#]([^}]*)|\/[^}]*\*)\}/g;

/**
 * @throws TypeError when it is no template, or one that cannot be matched unambiguously: two variables with nothing
 * between them, two that span `/`, a name used twice, or something after a query
 */
export function assertMatchable(template: string): void {
  const names = variablesOf(template);
  const open = Array.from(template.matchAll(OPEN), ([, list = ""]) => list.split(",")).flat();
  let reason = AMBIGUOUS.find(([pattern]) => pattern.test(template))?.[1];
  if (new Set(names).size < names.length) reason ??= "a variable is used twice";
  if (open.length > 1) reason ??= 'two variables span "/"';
  if (reason !== undefined) throw new TypeError(`URI template ${JSON.stringify(template)} cannot be matched: ${reason}`);
}
