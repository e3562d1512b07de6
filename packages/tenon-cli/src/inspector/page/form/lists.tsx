/** Controls of lists: rows that can be added, removed and moved; and lists whose first items have schemas of their own. */
import type { VNode } from "preact";
import type { ControlProps } from "./props.ts";
import { tupleOf } from "tenon/internal";
import { initial } from "./schema.ts";

/** Most rows that are drawn. Longer lists are edited as JSON. */
const MAX_ROWS = 200;

export function ListControl(props: ControlProps): VNode {
  const { schema, root, value, onChange, name } = props;
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <div class="rows">
      {rows.slice(0, MAX_ROWS).map((_row, index) => (
        <ListRow key={index} {...props} rows={rows} index={index} item={schema["items"]} />
      ))}
      {rows.length > MAX_ROWS ? <p class="about">{rows.length - MAX_ROWS} more rows: edit them as JSON.</p> : null}
      <button
        type="button"
        class="small"
        onClick={() => onChange([...rows, initial(schema["items"], root, true) ?? null])}
        aria-label={`Add a row to ${name}`}
      >
        + add
      </button>
    </div>
  );
}

interface RowProps extends ControlProps {
  readonly rows: readonly unknown[];
  readonly index: number;
  readonly item: unknown;
}

function ListRow({ Field, rows, index, item, root, onChange, path, issues, depth = 0 }: RowProps): VNode {
  const replace = (value: unknown): void => onChange(rows.map((row, at) => (at === index ? (value ?? null) : row)));
  const up = (): void => onChange([...rows.slice(0, index - 1), rows[index], rows[index - 1], ...rows.slice(index + 1)]);
  const without = (): void => onChange(rows.filter((_, at) => at !== index));
  const value = rows[index] === null ? undefined : rows[index];
  return (
    <div class="row">
      <Field
        name={String(index + 1)}
        schema={item}
        root={root}
        value={value}
        onChange={replace}
        path={`${path}/${index}`}
        required
        issues={issues}
        depth={depth + 1}
      />
      <span class="tools">
        {index > 0 ? (
          <button type="button" class="small" onClick={up} aria-label={`Move row ${index + 1} up`}>
            ↑
          </button>
        ) : null}
        <button type="button" class="small" onClick={without} aria-label={`Remove row ${index + 1}`}>
          ✕
        </button>
      </span>
    </div>
  );
}

export function TupleControl({ Field, schema, root, value, onChange, path, issues, depth = 0 }: ControlProps): VNode {
  const items = tupleOf(schema);
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  const set = (index: number, one: unknown): void => onChange(items.map((_, at) => (at === index ? (one ?? null) : (rows[at] ?? null))));
  return (
    <div class="rows">
      {items.map((item, index) => (
        <Field
          key={index}
          name={String(index + 1)}
          schema={item}
          root={root}
          value={rows[index] ?? undefined}
          onChange={(one) => set(index, one)}
          path={`${path}/${index}`}
          required
          issues={issues}
          depth={depth + 1}
        />
      ))}
    </div>
  );
}
