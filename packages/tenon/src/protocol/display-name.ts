/** The name by which a host shows what a server offers. */

interface Named {
  /** The name for programs. */
  readonly name: string;
  /** The name for people, on 2025-06-18 and later. */
  readonly title?: string | undefined;
  /** The annotations. A tool's may have a title, on 2025-03-26 and later. */
  readonly annotations?: object | undefined;
}

/**
 * The name to show people for a tool, a prompt, a resource, a template or a server: its title, else the title in a tool's annotations,
 * else its name. Models and calls take `name`.
 *
 * Security: the text comes from the server. Two tools may show the same one.
 *
 * @example
 * ```ts
 * import { displayName } from "tenon/client";
 *
 * console.log(displayName({ name: "book_seat", title: "Book a seat" })); // Book a seat
 * ```
 */
export function displayName({ name, title, annotations = {} }: Named): string {
  if (title) return title;
  return "title" in annotations && typeof annotations.title === "string" && annotations.title !== "" ? annotations.title : name;
}
