/** Controls of enumerations. Values are kept by their place, so that `1`, `"1"` and `null` stay apart. */
import type { VNode } from "preact";
import { equal } from "../../differences.ts";
import { isObject, visible } from "../data/json.ts";
import type { ControlProps } from "./props.ts";
import { choicesOf } from "tenon/internal";

/** Most choices that are shown side by side. */
const MAX_RADIOS = 5;

export function ChoiceControl(props: ControlProps): VNode {
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

export function ChoicesControl({ schema, value, onChange }: ControlProps): VNode {
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
