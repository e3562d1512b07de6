/** Where the user is: the view, the server, and the item, kept in the fragment of the address. */
import { signal, type Signal } from "@preact/signals";

export const VIEWS = ["overview", "tools", "resources", "prompts", "wire", "asked", "activity", "access", "recording"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  readonly view: View;
  readonly target: number;
  /** The name of the tool or prompt, the URI of the resource. */
  readonly item: string | undefined;
}

export const route: Signal<Route> = signal(read());

addEventListener("hashchange", () => {
  route.value = read();
});

/** Goes to another place, at once: the browser tells of a new fragment later, and what the user types next belongs there. What is not given stays; the item belongs to its view. */
export function go(to: Partial<Route>): void {
  const { view, target } = { ...route.peek(), ...to };
  const item = to.item === undefined ? "" : `/${encodeURIComponent(to.item)}`;
  location.hash = `#/${target}/${view}${item}`;
  route.value = read();
}

function read(): Route {
  const [, target = "0", view = "", item] = location.hash.split("/");
  const known = VIEWS.find((name) => name === view);
  return { view: known ?? "tools", target: Number(target) || 0, item: item === undefined ? undefined : decode(item) };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // typed by hand
  }
}
