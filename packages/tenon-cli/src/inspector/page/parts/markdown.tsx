/**
 * Text of a server that is Markdown, as formatted text.
 *
 * Security: the tokens of the lexer become elements of this file's choice, and no text becomes markup. HTML is shown as text, pictures
 * are not loaded, and a link shows its address and opens only if it is http, https or mailto.
 */
import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { Address } from "./address.tsx";

/** Longer texts, in characters, are shown as they are: the time of the lexer may grow with the square of the length. */
const MAX_LENGTH = 32_768;
/** Deeper lists and quotes are shown as they are. */
const MAX_DEPTH = 16;
const PLAIN: ReadonlySet<string> = new Set(["paragraph", "text", "space", "escape", "br", "html", "def"]);

/** The tokens of a text; undefined if nothing in it is marked up, or it is JSON, or too long. */
export function markdownOf(text: string): readonly Token[] | undefined {
  if (text.length > MAX_LENGTH || /^\s*[[{]/.test(text) || isDeep(text)) return undefined;
  try {
    const tokens = new Lexer().lex(text);
    return isMarkedUp(tokens) ? tokens : undefined;
  } catch {
    return undefined; // the lexer found no way through it
  }
}

/** Whether a line has so many quotes and bullets that the lexer would call itself too often. */
function isDeep(text: string): boolean {
  return new RegExp(String.raw`^(?:[ \t]*(?:>|[-*+]|\d+[.)])){${MAX_DEPTH}}`, "m").test(text);
}

function isMarkedUp(tokens: readonly Token[]): boolean {
  return tokens.some((token) => !PLAIN.has(token.type) || ("tokens" in token && isMarkedUp(token.tokens ?? [])));
}

export function Markdown({ tokens }: { tokens: readonly Token[] }): VNode {
  return <div class="markdown">{elements(tokens, 0)}</div>;
}

function elements(tokens: readonly Token[] = [], depth: number): ComponentChildren {
  return tokens.map((token) => (depth > MAX_DEPTH ? token.raw : element(token as MarkedToken, depth + 1))); // there is no extension
}

function element(token: MarkedToken, depth: number): ComponentChildren {
  switch (token.type) {
    case "paragraph":
      return <p>{elements(token.tokens, depth)}</p>;
    case "heading":
      return <p class="heading">{elements(token.tokens, depth)}</p>;
    case "blockquote":
      return <blockquote>{elements(token.tokens, depth)}</blockquote>;
    case "list":
      return <List list={token} depth={depth} />;
    case "table":
      return <TableOf table={token} depth={depth} />;
    case "code":
      return <pre class="text">{token.text}</pre>;
    case "hr":
      return <hr />;
    case "space":
      return null;
    default:
      return inline(token, depth);
  }
}

function inline(token: MarkedToken, depth: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{elements(token.tokens, depth)}</strong>;
    case "em":
      return <em>{elements(token.tokens, depth)}</em>;
    case "del":
      return <s>{elements(token.tokens, depth)}</s>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "link":
      return <Link link={token} depth={depth} />;
    case "text":
      return token.tokens === undefined ? token.text : elements(token.tokens, depth);
    case "escape":
      return token.text;
    default:
      return token.raw; // a picture, HTML, a definition: as it was written
  }
}

/** The words of a link, and its whole address beside them. */
function Link({ link, depth }: { link: Tokens.Link; depth: number }): VNode {
  const { href, text } = link;
  return (
    <span>
      {text === href ? null : <>{elements(link.tokens, depth)} </>}
      <Address uri={href} />
    </span>
  );
}

function List({ list: { ordered, start, items }, depth }: { list: Tokens.List; depth: number }): VNode {
  const rows = items.map((item, at) => <li key={at}>{elements(item.tokens, depth)}</li>);
  return ordered ? <ol start={Number(start)}>{rows}</ol> : <ul>{rows}</ul>;
}

function TableOf({ table: { header, rows }, depth }: { table: Tokens.Table; depth: number }): VNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }, at) => (
            <th key={at} scope="col">
              {elements(tokens, depth)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map(({ tokens }, column) => (
              <td key={column}>{elements(tokens, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
