/** An address that a server sent. It is shown whole, and is a link only if its scheme cannot run anything. */
import type { VNode } from "preact";
import { visible } from "../data/json.ts";

/** The address as a link that opens in another tab; as text if it is not http, https or mailto. */
export function Address({ uri }: { uri: string }): VNode {
  const href = safeAddress(uri);
  if (href === undefined) return <code>{visible(uri)}</code>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {visible(href)}
    </a>
  );
}

/** The address with its host in ASCII, if it is http, https or mailto; else undefined. */
export function safeAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "https:" || protocol === "http:" || protocol === "mailto:" ? href : undefined;
}
