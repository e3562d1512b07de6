/** A whole form, as fields or as JSON. Both show the same value; text that is not JSON is kept. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Issue } from "../../entries.ts";
import { isObject, pretty } from "../data/json.ts";
import { Field } from "./field.tsx";
import type { FieldProps } from "./props.ts";
import { problemOf } from "./scalars.tsx";
import type { Schema } from "./schema.ts";

export interface FormProps {
  readonly schema: unknown;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly issues: readonly Issue[];
  readonly label: string;
  readonly suggest?: FieldProps["suggest"];
}

export function Form({ schema, value, onChange, issues, label, suggest }: FormProps): VNode {
  const [text, setText] = useState<string>();
  const root: Schema = isObject(schema) ? schema : {};
  const isJson = text !== undefined;
  return (
    <div class="form">
      <button type="button" class="small switch" aria-pressed={isJson} onClick={() => setText(isJson ? undefined : pretty(value ?? {}))}>
        {"{ } JSON"}
      </button>
      {isJson ? (
        <JsonText
          label={label}
          text={text}
          onText={(typed) => {
            setText(typed);
            if (problemOf(typed) === undefined) onChange(typed.trim() === "" ? {} : JSON.parse(typed));
          }}
        />
      ) : (
        <Field
          name={label}
          schema={root}
          root={root}
          value={value}
          onChange={onChange}
          path=""
          required
          issues={issues}
          {...(suggest && { suggest })}
        />
      )}
    </div>
  );
}

function JsonText({ label, text, onText }: { label: string; text: string; onText: (text: string) => void }): VNode {
  const problem = problemOf(text);
  return (
    <div class="field">
      <textarea
        class="code"
        aria-label={`${label} as JSON`}
        rows={Math.min(24, Math.max(6, text.split("\n").length + 1))}
        value={text}
        spellcheck={false}
        aria-invalid={problem !== undefined}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      {problem === undefined ? null : <p class="wrong">✗ {problem}</p>}
    </div>
  );
}
