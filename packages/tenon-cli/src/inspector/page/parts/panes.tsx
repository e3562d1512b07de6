/** A list, and beside it what was chosen. On a narrow screen one of them is shown at a time. */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { isObject, visible, type Json } from "../data/json.ts";
import { go, route, type View } from "../data/route.ts";
import { Empty } from "./empty.tsx";
import { VirtualList } from "./virtual-list.tsx";

export interface PanesProps {
  readonly view: View;
  readonly label: string;
  readonly items: readonly Json[];
  readonly keyOf: (item: Json) => string;
  readonly empty: ComponentChildren;
  readonly children: (item: Json) => ComponentChildren;
}

/** Where the list and an item stand side by side. */
const isWide = matchMedia("(min-width: 701px)");

export function Panes(props: PanesProps): VNode {
  return props.items.length === 0 ? <>{props.empty}</> : <Chosen {...props} />;
}

function Chosen({ view, label, items, keyOf, children }: PanesProps): VNode {
  const [filter, setFilter] = useState("");
  const { item: wanted } = route.value;
  const words = filter.toLowerCase().split(/\s+/);
  const shown = filter === "" ? items : items.filter((item) => words.every((word) => searchText(item).includes(word)));
  // Where both have room, the first item is shown until the user chooses.
  const chosen = items.find((item) => keyOf(item) === wanted) ?? (wanted === undefined && isWide.matches ? items[0] : undefined);
  const row = (index: number): VNode => <ItemRow item={shown[index]!} keyText={keyOf(shown[index]!)} />;
  return (
    <div class={chosen === undefined ? "panes" : "panes has-item"}>
      <div class="side">
        <input
          class="filter"
          type="search"
          placeholder={`Filter ${label.toLowerCase()}`}
          aria-label={`Filter ${label.toLowerCase()}`}
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <VirtualList
          count={shown.length}
          row={row}
          label={label}
          chosen={chosen === undefined ? -1 : shown.indexOf(chosen)}
          onChoose={(index) => go({ view, item: keyOf(shown[index]!) })}
          empty="Nothing has these words."
        />
        <p class="count">
          {shown.length} of {items.length}
        </p>
      </div>
      <div class="main">
        {chosen === undefined ? (
          <Empty title={`Choose one of the ${label.toLowerCase()}`}>
            What it does and what it takes stand here, with a form to try it. The arrow keys move in the list, and / searches everything.
          </Empty>
        ) : (
          <>
            <button type="button" class="small back" onClick={() => go({ view })}>
              ← {label}
            </button>
            {children(chosen)}
          </>
        )}
      </div>
    </div>
  );
}

function ItemRow({ item, keyText }: { item: Json; keyText: string }): VNode {
  const { title, name, description } = item;
  const about = title ?? description ?? (name === keyText ? undefined : name);
  return (
    <>
      <span class="name">{visible(keyText)}</span>
      {about === undefined ? null : <span class="about">{visible(about).slice(0, 120)}</span>}
    </>
  );
}

/** The text of an item that a search looks at. */
export function searchText(item: Json): string {
  const { name, title, description, uri, uriTemplate } = item;
  return [name, title, description, uri, uriTemplate]
    .filter((one) => typeof one === "string")
    .join(" ")
    .toLowerCase();
}

/** What a user does with an item, and beside it what became of that. */
export function Split({ label, results, children }: { label: string; results: VNode; children: ComponentChildren }): VNode {
  return (
    <div class="split">
      <section aria-label={label} class="pane">
        {children}
      </section>
      <section aria-label="Results" class="pane">
        {results}
      </section>
    </div>
  );
}

/** The heading of an item, with its description and what the server says about it. */
export function ItemHead({ item, name }: { item: Json; name: string }): VNode {
  const { title, description, annotations } = item;
  const marks = isObject(annotations)
    ? Object.entries(annotations).filter(([, value]) => typeof value === "boolean" || typeof value === "number")
    : [];
  return (
    <header class="head">
      <h2>{visible(name)}</h2>
      {typeof title === "string" && title !== name ? <p class="title">{visible(title)}</p> : null}
      {marks.length === 0 ? null : (
        <p class="marks">
          {marks.map(([mark, value]) => (
            <span class="mark" key={mark}>
              {visible(mark.replace(/Hint$/, ""))}: {String(value)}
            </span>
          ))}
        </p>
      )}
      {typeof description === "string" ? <p class="description">{visible(description)}</p> : null}
    </header>
  );
}
