/** The control of a field, by its kind. */
import type { VNode } from "preact";
import { ListControl, TupleControl } from "./lists.tsx";
import { MapControl, ObjectControl, UnionControl } from "./objects.tsx";
import { BooleanControl, JsonControl, NumberControl, TextControl } from "./scalars.tsx";
import type { ControlProps } from "./props.ts";
import { initial } from "./schema.ts";
import { equal } from "../../differences.ts";
import { isObject, visible } from "../data/json.ts";
import { choicesOf } from "tenon/internal";

/** How deep fields are drawn. A deeper value is written as JSON. */
const MAX_DEPTH = 12;

export function Control(props: ControlProps): VNode {
  const { kind, depth = 0, value, required } = props;
  if (depth > MAX_DEPTH) return <JsonControl {...props} />;
  const isGroup = kind === "object" || kind === "map" || kind === "list" || kind === "tuple" || kind === "union";
  if (isGroup && value === undefined && !required) return <AddButton {...props} />;
  switch (kind) {
    case "choice":
      return <ChoiceControl {...props} />;
    case "choices":
      return <ChoicesControl {...props} />;
    case "union":
      return <UnionControl {...props} />;
    case "object":
      return <ObjectControl {...props} />;
    case "map":
      return <MapControl {...props} />;
    case "list":
      return <ListControl {...props} />;
    case "tuple":
      return <TupleControl {...props} />;
    case "text":
      return <TextControl {...props} />;
    case "number":
      return <NumberControl {...props} />;
    case "boolean":
      return <BooleanControl {...props} />;
    case "null":
      return <output id={props.id}>null</output>;
    default:
      return <JsonControl {...props} />;
  }
}

/** A group that is not sent, until the user adds it. */
function AddButton({ schema, root, name, onChange, kind }: ControlProps): VNode {
  const empty = kind === "object" || kind === "map" ? {} : kind === "list" ? [] : null;
  return (
    <button type="button" class="small" onClick={() => onChange(initial(schema, root, true) ?? empty)} aria-label={`Add ${name}`}>
      + add
    </button>
  );
}

/** Most choices that are shown side by side. */
const MAX_RADIOS = 5;

/** Values are chosen by their place, so that `1`, `"1"` and `null` stay apart. */
function ChoiceControl(props: ControlProps): VNode {
  const { id, schema, value, onChange, required } = props;
  const choices = choicesOf(schema);
  const chosen = choices.findIndex((choice) => equal(choice.value, value));
  const choose = (place: number): void => onChange(place < 0 ? undefined : choices[place]?.value);
  if (choices.length > MAX_RADIOS || !required)
    return (
      <select id={id} value={String(chosen)} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
        <option value="-1">{required ? "choose …" : "not sent"}</option>
        {choices.map(({ title }, place) => (
          <option key={place} value={String(place)}>
            {visible(title)}
          </option>
        ))}
      </select>
    );
  return (
    <div class="radios" role="radiogroup" id={id} aria-label={props.name}>
      {choices.map(({ title }, place) => (
        <label key={place} class="radio">
          <input type="radio" name={id} checked={place === chosen} onChange={() => choose(place)} />
          {visible(title)}
        </label>
      ))}
    </div>
  );
}

function ChoicesControl({ schema, value, onChange }: ControlProps): VNode {
  const { items } = schema;
  const choices = choicesOf(isObject(items) ? items : {});
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const toggle = (one: unknown, isChosen: boolean): void =>
    onChange(
      choices.map((choice) => choice.value).filter((each) => (equal(each, one) ? isChosen : chosen.some((other) => equal(other, each)))),
    );
  return (
    <div class="radios">
      {choices.map((choice, place) => (
        <label key={place} class="radio">
          <input
            type="checkbox"
            checked={chosen.some((one) => equal(one, choice.value))}
            onChange={({ currentTarget }) => toggle(choice.value, currentTarget.checked)}
          />
          {visible(choice.title)}
        </label>
      ))}
    </div>
  );
}
