/** The control of a field, by its kind. */
import type { VNode } from "preact";
import { ChoiceControl, ChoicesControl } from "./choices.tsx";
import { ListControl, TupleControl } from "./lists.tsx";
import { MapControl, ObjectControl, UnionControl } from "./objects.tsx";
import { BooleanControl, JsonControl, NumberControl, TextControl } from "./scalars.tsx";
import type { ControlProps } from "./props.ts";
import { initial } from "./schema.ts";

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
