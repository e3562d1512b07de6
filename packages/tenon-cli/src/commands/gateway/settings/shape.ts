/**
 * The shapes of settings in a configuration file: checks a value, refuses unknown members by name, and fills in the variables of texts.
 *
 * Ranges are checked by what takes the values, so that each limit stands in one place.
 */
import { type Variables, expand, expandCredential, isJsonObject, nearest } from "tenon/internal";

/** What a value must be. A list of shapes: one of them, the first that its type fits. */
export type Shape = "text" | "secret" | "number" | "boolean" | ObjectShape | ListShape | MapShape | readonly Shape[];
/** An object with these members. All are optional, but for those that are named in `required`. */
export interface ObjectShape {
  readonly members: { readonly [name: string]: Shape };
  readonly required?: readonly string[];
}
export interface ListShape {
  readonly items: Shape;
}
export interface MapShape {
  readonly values: Shape;
}

/** Where a value stands. */
export interface Spot {
  /** `quota.requests` */
  readonly field: string;
  readonly variables: Variables;
  readonly onProblem: (field: string, message: string) => void;
}

/** The value with its variables filled in. After a problem was reported it may be anything. */
export function readShape(value: unknown, shape: Shape, spot: Spot): unknown {
  if (isSeveral(shape)) return readShape(value, shape.find((one) => fits(value, one)) ?? shape[0]!, spot);
  if (!fits(value, shape)) {
    spot.onProblem(spot.field, `must be ${nameOf(shape)}`);
    return undefined;
  }
  if (typeof value === "string") return readText(value, shape === "secret", spot);
  if (Array.isArray(value)) return value.map((item, at) => readShape(item, (shape as ListShape).items, inside(spot, `[${at}]`))); // it fits
  if (typeof shape === "object" && isJsonObject(value)) return readMembers(value, shape as ObjectShape | MapShape, spot);
  return value;
}

function readText(text: string, isSecret: boolean, { field, variables, onProblem }: Spot): string {
  const onText = (message: string): void => onProblem(field, message);
  return isSecret ? expandCredential(text, variables, onText) : expand(text, variables, { isSecret, onProblem: onText });
}

function readMembers(value: object, shape: ObjectShape | MapShape, spot: Spot): object {
  if ("members" in shape)
    for (const name of shape.required ?? []) if (!Object.hasOwn(value, name)) spot.onProblem(spot.field, `needs ${JSON.stringify(name)}`);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const at = inside(spot, spot.field === "" ? name : `.${name}`);
      const own = "values" in shape ? shape.values : Object.hasOwn(shape.members, name) ? shape.members[name]! : undefined;
      if (own !== undefined) return [[name, readShape(item, own, at)]];
      spot.onProblem(at.field, `is not known.${hint(name, Object.keys((shape as ObjectShape).members))}`); // a map knows all
      return [];
    }),
  );
}

function inside(spot: Spot, part: string): Spot {
  return { ...spot, field: spot.field + part };
}

function hint(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? ` There are: ${known.join(", ")}` : ` Did you mean ${JSON.stringify(meant)}?`;
}

function isSeveral(shape: Shape): shape is readonly Shape[] {
  return Array.isArray(shape);
}

function fits(value: unknown, shape: Shape): boolean {
  if (isSeveral(shape)) return shape.some((one) => fits(value, one));
  if (shape === "text" || shape === "secret") return typeof value === "string";
  if (typeof shape === "string") return typeof value === shape;
  return "items" in shape ? Array.isArray(value) : isJsonObject(value);
}

function nameOf(shape: Shape): string {
  if (isSeveral(shape)) return shape.map(nameOf).join(" or ");
  if (shape === "text" || shape === "secret") return "a string";
  if (shape === "boolean") return "true or false";
  return shape === "number" ? "a number" : "items" in shape ? "a list" : "an object";
}
