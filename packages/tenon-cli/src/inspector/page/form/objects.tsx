/** Controls of objects: their members, names that the user chooses, and the choice among variants. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isObject, visible, type Json } from "../data/json.ts";
import type { ControlProps } from "./props.ts";
import { membersOf, requiredOf, resolve, valuesOf, variantsOf } from "tenon/internal";
import { fits, initial, variantTitle } from "./schema.ts";

/** Most members that are drawn. More are edited as JSON. */
const MAX_FIELDS = 500;
/** Optional members after this many are folded away. */
const MAX_OPTIONAL = 8;

export function ObjectControl(props: ControlProps): VNode {
  const { schema, value } = props;
  const [isOpen, setOpen] = useState(false);
  const required = requiredOf(schema);
  const members = Object.entries(membersOf(schema, "properties")).slice(0, MAX_FIELDS);
  // A constant that is required is set already: there is nothing to choose.
  const names = members.flatMap(([name, member]) => (required.includes(name) && isObject(member) && "const" in member ? [] : [name]));
  const values: Json = isObject(value) ? value : {};
  let optional = 0;
  const shown = names.filter((name) => required.includes(name) || values[name] !== undefined || isOpen || ++optional <= MAX_OPTIONAL);
  const hidden = names.length - shown.length;
  if (members.length === 0) return <p class="about">No arguments.</p>;
  return (
    <div class="members">
      {shown.map((name) => (
        <Member key={name} {...props} member={name} values={values} isRequired={required.includes(name)} />
      ))}
      {hidden > 0 ? (
        <button type="button" class="small" onClick={() => setOpen(true)}>
          {hidden} more
        </button>
      ) : null}
    </div>
  );
}

interface MemberProps extends ControlProps {
  readonly member: string;
  readonly values: Json;
  readonly isRequired: boolean;
}

function Member({ Field, member, values, isRequired, schema, root, onChange, path, issues, suggest, depth = 0 }: MemberProps): VNode {
  return (
    <Field
      name={member}
      schema={membersOf(schema, "properties")[member]}
      root={root}
      value={values[member]}
      onChange={(value) => onChange(withMember(values, member, value))}
      path={`${path}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`}
      required={isRequired}
      issues={issues}
      depth={depth + 1}
      {...(suggest && { suggest })}
    />
  );
}

/** A copy with a member set, or left out if the value is undefined. A member may be named `__proto__`. */
function withMember(values: Json, name: string, value: unknown): Json {
  const entries = Object.entries(values).filter(([key]) => key !== name || value !== undefined);
  const has = entries.some(([key]) => key === name);
  const changed = entries.map(([key, old]) => [key, key === name ? value : old] as const);
  return Object.fromEntries(has || value === undefined ? changed : [...changed, [name, value]]);
}

export function MapControl({ Field, schema, root, value, onChange, path, issues, depth = 0, name }: ControlProps): VNode {
  const [typed, setTyped] = useState("");
  const members: Json = isObject(value) ? value : {};
  const isDouble = Object.hasOwn(members, typed);
  const add = (): void => {
    if (typed === "" || isDouble) return;
    onChange(withMember(members, typed, initial(valuesOf(schema), root, true) ?? null));
    setTyped("");
  };
  return (
    <div class="rows">
      {Object.keys(members).map((key) => (
        <div class="row" key={key}>
          <Field
            name={key}
            schema={valuesOf(schema)}
            root={root}
            value={members[key] ?? undefined}
            onChange={(one) => onChange(withMember(members, key, one ?? null))}
            path={`${path}/${key}`}
            required
            issues={issues}
            depth={depth + 1}
          />
          <button type="button" class="small" onClick={() => onChange(withMember(members, key, undefined))} aria-label={`Remove ${key}`}>
            ✕
          </button>
        </div>
      ))}
      <div class="row">
        <input
          value={typed}
          placeholder="name"
          aria-label={`Name of a new entry of ${name}`}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="button" class="small" disabled={typed === "" || isDouble} onClick={add}>
          + add
        </button>
        {isDouble ? <p class="wrong">✗ There is an entry of that name</p> : null}
      </div>
    </div>
  );
}

export function UnionControl(props: ControlProps): VNode {
  const { Field, schema, root, value, onChange, id, path, name, depth = 0 } = props;
  const variants = variantsOf(schema);
  const fitting = variants.findIndex((variant) => value !== undefined && fits(value, variant, root));
  const [chosen, setChosen] = useState(Math.max(0, fitting));
  const variant = variants[Math.min(chosen, variants.length - 1)] ?? {};
  const choose = (place: number): void => {
    setChosen(place);
    const next = initial(variants[place], root, true);
    // Members of the same name stay, but those by which variants are told apart.
    onChange(isObject(next) && isObject(value) ? { ...pick(value, resolve(variants[place], root)), ...next } : next);
  };
  return (
    <div class="union">
      <select
        id={`${id}-variant`}
        value={String(chosen)}
        aria-label={`Kind of ${name}`}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
      >
        {variants.map((one, place) => (
          <option key={place} value={String(place)}>
            {visible(variantTitle(one, root))}
          </option>
        ))}
      </select>
      <Field {...props} key={chosen} name={variantTitle(variant, root)} schema={variant} path={path} required depth={depth + 1} />
    </div>
  );
}

function pick(value: Json, schema: Json): Json {
  const names = Object.keys(membersOf(schema, "properties"));
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}
