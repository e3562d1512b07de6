/**
 * The fields of a form: the label of each at the terminal, and the value of what was typed.
 *
 * It uses neither streams nor questions. The schema decides which values are valid.
 */
import { isPromise } from "../../base/maybe-promise.ts";
import type { PrimitiveSchemaDefinition } from "../../protocol/elicitation.ts";
import { choicesOf, type Choice } from "../../schema/form.ts";
import { defaultJsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import { describeIssues } from "../../schema/standard-schema.ts";
import { cleanLine } from "./display.ts";

export type FieldValue = string | number | boolean | readonly string[];
/** The reading of a line: a value, undefined (the field is left out), or a problem. */
export type FieldReading = { readonly value: FieldValue | undefined } | { readonly problem: string };

export function labelOf(name: string, field: PrimitiveSchemaDefinition, required: boolean): string {
  const choices = fieldChoices(field).map(({ value, title }) => (title === value ? value : `${value} (${title})`));
  const parts = [
    field.title ?? name,
    ...(field.description === undefined ? [] : [`– ${field.description}`]),
    choices.length > 0 ? `(${choices.join(" | ")}${field.type === "array" ? ", separated by commas" : ""})` : `(${typeNameOf(field)})`,
    ...(field.default === undefined ? [] : [`[${String(field.default)}]`]),
    ...(required ? [] : ["– may stay empty"]),
  ];
  return `${cleanLine(parts.join(" "))}: `;
}

/** Reads a typed line. An empty line means the default, or leaves the field out. */
export async function readField(line: string, field: PrimitiveSchemaDefinition, required: boolean): Promise<FieldReading> {
  const typed = line.trim();
  if (typed === "") {
    if (field.default !== undefined || !required) return { value: field.default };
    return { problem: "An answer is needed here" };
  }
  return checkValue(toValue(typed, field), field);
}

export async function checkValue(value: FieldValue, field: PrimitiveSchemaDefinition): Promise<FieldReading> {
  const compiled = defaultJsonSchemaValidator.compile(field);
  const verdict = (isPromise(compiled) ? await compiled : compiled)(value);
  return verdict.issues === undefined ? { value } : { problem: describeIssues(verdict.issues) };
}

function toValue(typed: string, field: PrimitiveSchemaDefinition): FieldValue {
  if (field.type === "number" || field.type === "integer") return Number(typed);
  if (field.type === "boolean") return BOOLEANS.get(typed.toLowerCase()) ?? typed;
  if (field.type === "array") return typed.split(",").map((part) => toChoice(part.trim(), field));
  return toChoice(typed, field);
}
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["y", "yes", "true"].map((word) => [word, true] as const),
  ...["n", "no", "false"].map((word) => [word, false] as const),
]);

/** A choice may be typed by its value or by its title. */
function toChoice(typed: string, field: PrimitiveSchemaDefinition): string {
  const choices = fieldChoices(field);
  return (
    choices.find(({ value }) => value === typed)?.value ??
    choices.find(({ title }) => title.toLowerCase() === typed.toLowerCase())?.value ??
    typed
  );
}

/** The choices of a field, or of the items of a list; empty for a field without choices. */
export function fieldChoices(field: PrimitiveSchemaDefinition): readonly Choice<string>[] {
  return choicesOf({ ...(field.type === "array" ? field.items : field) }) as readonly Choice<string>[]; // the protocol has texts only
}

function typeNameOf(field: PrimitiveSchemaDefinition): string {
  if (field.type === "boolean") return "yes | no";
  return "format" in field && field.format !== undefined ? field.format : field.type === "string" ? "text" : field.type;
}
