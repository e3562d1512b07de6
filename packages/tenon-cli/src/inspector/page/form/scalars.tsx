/** Controls of single values: texts, numbers, yes or no, and JSON. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { pretty, textOf } from "../data/json.ts";
import type { ControlProps } from "./props.ts";

/** Input types by format. Date and time are typed as text of RFC 3339 if the browser's control cannot express them. */
const INPUT_TYPES: Readonly<Record<string, "date" | "email" | "url" | "password">> = {
  date: "date",
  email: "email",
  uri: "url",
  url: "url",
  password: "password",
};
const SECRET = /pass(?:word|phrase)|secret|token|api.?key|credential/i;

function described({ id, schema, isWrong }: ControlProps): string | undefined {
  const about = typeof schema["description"] === "string" || "default" in schema ? `${id}-about` : "";
  return `${about} ${isWrong ? `${id}-wrong` : ""}`.trim() || undefined;
}

export function TextControl(props: ControlProps): VNode {
  const { id, schema, value, onChange, required, name, isWrong, suggest } = props;
  const [options, setOptions] = useState<readonly string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const format = typeof schema["format"] === "string" ? schema["format"] : "";
  const isSecret = format === "password" || schema["writeOnly"] === true || SECRET.test(name);
  const shown = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const take = (text: string): void => {
    onChange(text === "" && !required ? undefined : text);
    if (suggest === undefined) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void suggest(name, text).then(setOptions, () => setOptions([])), 150);
  };
  const common = {
    id,
    value: shown,
    "aria-invalid": isWrong,
    "aria-describedby": described(props),
    placeholder: exampleOf(schema["examples"]),
  };
  if (!isSecret && (Number(schema["maxLength"] ?? 0) > 120 || shown.includes("\n") || schema["contentMediaType"] !== undefined))
    return <textarea {...common} rows={4} onInput={(event) => take(event.currentTarget.value)} />;
  const type = isSecret ? "password" : (INPUT_TYPES[format] ?? "text");
  // The types of the library tie the kind of an input to what else it has.
  const kindOfInput = { type, ...(options.length > 0 && { list: `${id}-options` }) } as { type: "text" };
  return (
    <>
      <input
        {...common}
        {...kindOfInput}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => suggest !== undefined && take(shown)}
        onInput={(event) => take(event.currentTarget.value)}
      />
      {options.length > 0 ? (
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      ) : null}
      {format === "date-time" ? <NowButton onChange={onChange} /> : null}
      {format === "uuid" ? (
        <button type="button" class="small" onClick={() => onChange(crypto.randomUUID())}>
          new id
        </button>
      ) : null}
    </>
  );
}

function NowButton({ onChange }: Pick<ControlProps, "onChange">): VNode {
  return (
    <button type="button" class="small" onClick={() => onChange(new Date().toISOString())}>
      now
    </button>
  );
}

function exampleOf(examples: unknown): string | undefined {
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return first === undefined ? undefined : typeof first === "string" ? first : JSON.stringify(first);
}

/** Text that is not a number is kept and sent as text, so that nothing typed is lost; the check says what is wrong. */
export function NumberControl(props: ControlProps): VNode {
  const { id, schema, value, onChange, isWrong } = props;
  const [typed, setTyped] = useState<string>();
  const shown = typed !== undefined && readNumber(typed) === value ? typed : textOf(value);
  const isUnsafe = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return (
    <>
      <input
        id={id}
        value={shown}
        inputMode={schema["type"] === "integer" ? "numeric" : "decimal"}
        aria-invalid={isWrong || isUnsafe}
        aria-describedby={described(props)}
        placeholder={rangeOf(schema)}
        autocomplete="off"
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          onChange(readNumber(event.currentTarget.value));
        }}
      />
      {isUnsafe ? <p class="wrong">✗ JSON numbers are exact up to 2⁵³ only: this one is sent as {String(value)}</p> : null}
    </>
  );
}

function readNumber(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : text;
}

/** The limits of a number, unless they are those of every exact number. */
function rangeOf(schema: ControlProps["schema"]): string | undefined {
  const [least, most] = [schema["minimum"], schema["maximum"]].map((limit) =>
    Math.abs(Number(limit)) < Number.MAX_SAFE_INTEGER ? String(limit) : "",
  );
  return `${least}${most}` === "" ? undefined : `${least} … ${most}`;
}

/** An optional value has a third state: not sent. */
export function BooleanControl(props: ControlProps): VNode {
  const { id, value, onChange, required } = props;
  if (required || "default" in props.schema)
    return (
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        aria-describedby={described(props)}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  return (
    <select
      id={id}
      value={textOf(value)}
      aria-describedby={described(props)}
      onChange={({ currentTarget }) => onChange(currentTarget.value === "" ? undefined : currentTarget.value === "true")}
    >
      <option value="">not sent</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  );
}

/** A value of any form. Text that is not JSON is kept, and not sent. */
export function JsonControl(props: ControlProps): VNode {
  const { id, value, onChange } = props;
  const [typed, setTyped] = useState<string>();
  const text = typed ?? (value === undefined ? "" : pretty(value));
  const problem = problemOf(text);
  return (
    <>
      <textarea
        id={id}
        class="code"
        rows={Math.min(12, Math.max(2, text.split("\n").length))}
        value={text}
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={described(props)}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          if (problemOf(currentTarget.value) === undefined)
            onChange(currentTarget.value.trim() === "" ? undefined : JSON.parse(currentTarget.value));
        }}
      />
      {problem === undefined ? null : <p class="wrong">✗ {problem}</p>}
    </>
  );
}

/** Why a text is not JSON; undefined if it is, or is empty. */
export function problemOf(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : ""}`;
  }
}
