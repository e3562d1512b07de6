/** The texts of a tool: its description and its annotations. */
import type { ToolAnnotations } from "../../protocol/tools.ts";
import { lineOf, type OpenApiOperation } from "../document/operation.ts";
import type { Parameter } from "./parameters.ts";
import { shortened } from "../document/values.ts";

const MAX_DESCRIPTION = 2_000;
/** Arguments that choose a page. */
const NEXT_PAGE =
  /^(page|page[_.-]?(number|token|index)|cursor|offset|skip|start|after|starting[_-]?after|continue|next[_-]?token|page\[(number|cursor|offset|after)\])$/i;
const SAFE = ["GET", "HEAD", "OPTIONS", "QUERY"];
const IDEMPOTENT = [...SAFE, "PUT", "DELETE"];

/** The summary and the description, or the method and the path if there are neither; and that a list has pages. */
export function descriptionOf(operation: OpenApiOperation, parameters: readonly Parameter[]): string {
  const { summary, description } = operation;
  const texts = [summary, description === summary ? undefined : description].filter((text) => text !== undefined);
  const whole = shortened((texts.length === 0 ? lineOf(operation) : texts.join("\n\n")).trim(), MAX_DESCRIPTION);
  const next = parameters.find(({ place, writing }) => place === "query" && NEXT_PAGE.test(writing.name));
  return next === undefined ? whole : `${whole}\n\nReturns one page: pass ${JSON.stringify(next.argument)} to get another one.`;
}

/** What the method says about a call. All calls reach another system. */
export function annotationsOf({ method }: OpenApiOperation): ToolAnnotations {
  if (SAFE.includes(method)) return { readOnlyHint: true, openWorldHint: true };
  return { readOnlyHint: false, destructiveHint: true, idempotentHint: IDEMPOTENT.includes(method), openWorldHint: true };
}
