/**
 * One field of a form: its label, its control, and what is wrong with its value.
 *
 * The value is JSON; undefined is not sent. Text of the server is only ever text. No `pattern` runs here: the process checks values.
 */
import type { ComponentChildren, VNode } from "preact";
import type { Issue } from "../../entries.ts";
import { visible } from "../data/json.ts";
import { Control } from "./control.tsx";
import type { FieldProps } from "./props.ts";
import { kindOf, resolve } from "tenon/internal";
import type { Schema } from "./schema.ts";

/** Kinds whose control is a group of its own, with a legend instead of a label. */
const GROUPS: ReadonlySet<string> = new Set(["object", "map", "list", "tuple", "union", "choices"]);

export function Field(props: FieldProps): VNode {
  const { name, path, required, issues, value, onChange } = props;
  const schema = resolve(props.schema, props.root);
  const kind = kindOf(schema);
  const id = `f${path.replace(/[^\w-]/g, "_")}`;
  const own = issues.filter((issue) => issue.path === path);
  const label = typeof schema["title"] === "string" ? schema["title"] : name;
  const head = (
    <>
      <span class="label">{visible(label)}</span>
      {path === "" ? null : (
        <>
          {required ? <span class="required"> required</span> : null}
          <span class="type"> {typeText(schema, kind)}</span>
        </>
      )}
    </>
  );
  const canRemove = !required && value !== undefined && GROUPS.has(kind);
  const remove = canRemove ? (
    <button type="button" class="small" onClick={() => onChange(undefined)} aria-label={`Remove ${label}`}>
      ✕
    </button>
  ) : null;
  const body = (
    <>
      <Description id={`${id}-about`} schema={schema} />
      <Control {...props} Field={Field} schema={schema} kind={kind} id={id} isWrong={own.length > 0} />
      <Problems id={`${id}-wrong`} issues={own} />
    </>
  );
  if (!GROUPS.has(kind)) return <Row id={id} head={head} body={body} isDeprecated={schema["deprecated"] === true} />;
  return (
    <fieldset class="field group" data-path={path} id={id} tabIndex={-1}>
      <legend>
        {head} {remove}
      </legend>
      {body}
    </fieldset>
  );
}

function Row({
  id,
  head,
  body,
  isDeprecated,
}: {
  id: string;
  head: ComponentChildren;
  body: ComponentChildren;
  isDeprecated: boolean;
}): VNode {
  return (
    <div class={isDeprecated ? "field deprecated" : "field"}>
      <label for={id}>{head}</label>
      {body}
    </div>
  );
}

function Description({ id, schema }: { id: string; schema: Schema }): VNode | null {
  const { description, default: value } = schema;
  if (typeof description !== "string" && value === undefined) return null;
  const preset = value === undefined ? "" : ` Default: ${JSON.stringify(value)}.`;
  return (
    <p class="about" id={id}>
      {visible(`${typeof description === "string" ? description : ""}${preset}`)}
    </p>
  );
}

function Problems({ id, issues }: { id: string; issues: readonly Issue[] }): VNode | null {
  if (issues.length === 0) return null;
  return (
    <p class="wrong" id={id}>
      ✗ {visible(issues.map(({ message }) => message).join("; "))}
    </p>
  );
}

function typeText(schema: Schema, kind: string): string {
  const { format, type } = schema;
  if (typeof format === "string") return visible(format);
  return kind === "choice" || kind === "union" ? "one of" : kind === "choices" ? "any of" : typeof type === "string" ? type : kind;
}
