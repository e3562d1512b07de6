/** What a rule of the program says, which may protect something: whether a caller may see or use a thing, whether a client may connect. */
import { isPromise } from "./maybe-promise.ts";

/**
 * The answer of a rule. Security: a program in JavaScript may return anything, and a promise would count as a yes.
 * @param rule what it is, for the error: `A policy`
 * @param hint how a program loads what the rule needs, if that takes time
 * @throws TypeError if the answer is neither true nor false
 */
export function decisionOf(rule: string, answer: unknown, hint: string): boolean {
  if (typeof answer === "boolean") return answer;
  const isLate = isPromise(answer);
  if (isLate) answer.then(undefined, () => undefined); // its failure would end the process
  throw new TypeError(`${rule} must return true or false at once, and not ${isLate ? `a promise: ${hint}` : typeof answer}`);
}
