/** How a user adds the server at a URL to each host: a link, a command, or a place in its settings. */
import { HOST_FORMS, type HostForm, toServerName } from "./host-entries.ts";

/** The way for one host. It has a link, a command or a note. */
export interface WayToAdd {
  readonly host: string;
  /** What the button opens. */
  readonly link?: string;
  /** What the button says. */
  readonly label?: string;
  readonly command?: string;
  readonly note?: string;
}

/** The page of Claude on which a server with a public address is added. */
const CONNECTORS = "https://claude.ai/settings/connectors";

/** The ways for all hosts, first those with a button. @param name what the server calls itself @param url its endpoint */
export function waysToAdd(name: string, url: string): readonly WayToAdd[] {
  const { claudeDesktop, ...others } = HOST_FORMS;
  const entry = toServerName(name);
  const ways = Object.values(others).map((host) => wayTo(host, entry, url));
  const all = [...ways, connector(claudeDesktop.name, url)];
  return [...all.filter(({ link }) => link !== undefined), ...all.filter(({ link }) => link === undefined)];
}

function wayTo({ id, name: host, url: entryOf, link, command }: HostForm, name: string, url: string): WayToAdd {
  if (link !== undefined) return { host, link: link(name, entryOf!({ url, headers: {} })), label: `Add to ${host}` };
  const shown = inShell(url);
  return { host, command: command?.(name, shown) ?? `npx tenon install ${shown} --host ${id} --name ${name}` };
}

/** Claude connects from its own servers, so that it reaches public addresses only. */
function connector(host: string, url: string): WayToAdd {
  if (!url.startsWith("https:"))
    return { host, note: "It adds servers with a public https address only, in its settings under Connectors." };
  return { host, link: CONNECTORS, label: "Open the connectors", note: "Choose to add a custom connector, and give it the address above." };
}

/** A URL as one word of a command, in every shell. Security: its characters are those that `plainAddress` of `welcome-page.ts` leaves. */
function inShell(url: string): string {
  return /^[\w:/.-]+$/.test(url) ? url : `"${url}"`;
}
