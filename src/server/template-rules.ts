/** How expressions of URI templates are written out: RFC 6570, appendix A. Both ways go by it, expanding and matching. */
import type { Expression, Operator, Variable } from "./template-syntax.ts";

/** What stands between the variables of an expression, where it is not `,`. */
const SEPARATORS: { readonly [Other in Operator]?: string } = { ".": ".", "/": "/", ";": ";", "?": "&", "&": "&" };

/** How an expression writes its variables. */
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

/** Whether an expression is a query, whose variables may come in any order, or not at all. */
export function isQuery({ operator }: Expression): boolean {
  return operator === "?" || operator === "&";
}

/** Whether a variable of the path can span `/`. */
export function isOpen({ operator }: Expression, { explode }: Variable): boolean {
  return operator === "+" || operator === "#" || (operator === "/" && explode);
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
