/** What stands in the place of a list without entries. Only of a list that was read is it said that the server has none. */
import type { ComponentChildren, VNode } from "preact";
import type { ListEntry, ListKind } from "../../entries.ts";
import { visible } from "../data/json.ts";
import { connections, version } from "../data/store.ts";
import { isBroken } from "./broken.tsx";
import { Empty } from "./empty.tsx";

interface NoItemsProps {
  readonly target: number;
  readonly of: Exclude<ListKind, "templates">;
  readonly list: ListEntry | undefined;
  /** How a server gets one. */
  readonly children: ComponentChildren;
}

export function NoItems({ target, of, list, children }: NoItemsProps): VNode {
  void version.servers.value;
  if (list?.failure !== undefined) return <Empty title="The list could not be read">{visible(list.failure.message)}</Empty>;
  if (list !== undefined) return <Empty title={`The server has no ${of}`}>{children}</Empty>;
  if (isBroken(target)) return <Empty title={`The ${of} are not known`}>They stand here when the server is connected.</Empty>;
  const isOpen = connections.get(target)?.state === "open";
  return <Empty title={isOpen ? "The list is read …" : "Connecting …"}>{`The ${of} of the server stand here in a moment.`}</Empty>;
}
