// What a page says about itself: its front matter (`order`, `title`, `description`), its first heading, its first paragraph.
import { readFileSync } from "node:fs";

/** @returns {{ title: string, description: string, order: number, body: string }} */
export function readPage(file) {
  const source = readFileSync(file, "utf8");
  const [head, front] = /^---\n([\s\S]*?)\n---\n/.exec(source) ?? ["", ""];
  const body = source.slice(head.length).trimStart();
  const value = (key) => new RegExp(`^${key}: *"?(.*?)"?$`, "m").exec(front)?.[1];
  const title = value("title") ?? /^# (.+)$/m.exec(body)?.[1] ?? "";
  const paragraph = /^(?![#|`>\-!<\d])\S[\s\S]*?(?=\n\n|\n[`|]|$(?![\s\S]))/m.exec(body)?.[0] ?? "";
  return {
    title: title.replaceAll("`", ""),
    description: value("description") ?? plain(paragraph),
    order: Number(value("order") ?? 1000),
    body,
  };
}

/** The text of a paragraph, without its links and line breaks. */
function plain(paragraph) {
  return paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\s+/g, " ");
}
