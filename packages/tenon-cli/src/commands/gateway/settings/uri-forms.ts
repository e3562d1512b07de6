/**
 * The forms in which a rule compares a URI and a pattern, beside the normal form of a URI.
 *
 * Security: a server that matches a URI with a template decodes it, and a server that makes a path of it resolves `..`. So
 * `users://bob%40example.com`, `file:///open/../keys` and `file:///keys%2Fa` are for it what a rule names in another way. A denial holds if one
 * form fits; all forms must be allowed.
 */
import { normalUri } from "tenon/internal";

/** The scheme, and the authority as far as there is one. A pattern may have `*` there. */
const BEGINNING = /^([^:/?]*:)(\/\/[^/]*)?/;
/** What another form may write in another way. */
const ODD = /%|[/:]\.|[^:/]\/\/|\/{4}/;

/** What stays of a text: with the authority first, then with it as a part of the path, as `docs://{+path}` has it. */
const FORMS = [(text: string) => formOf(text, true), (text: string) => formOf(text, false)] as const;

/** For each form in which a URI or a pattern differs from its normal form: the forms of the patterns, and of the URI. */
export function* otherForms(patterns: readonly string[], uri: string): Generator<readonly [patterns: readonly string[], uri: string]> {
  const [normal, own] = [patterns.map(normalUri), normalUri(uri)];
  if (!ODD.test(own) && !normal.some((pattern) => ODD.test(pattern))) return;
  for (const form of FORMS) yield [normal.map(form), form(own)];
}

/** Percent-decoded once, without `.`, `..` and empty segments. A query is only decoded. */
function formOf(text: string, keepsAuthority: boolean): string {
  const [path = "", ...query] = text.split("?");
  const [start = "", scheme, authority = ""] = BEGINNING.exec(path) ?? [];
  const decodedQuery = query.length === 0 ? "" : `?${decoded(query.join("?"))}`;
  if (scheme === undefined) return decoded(path) + decodedQuery;
  const beginning = keepsAuthority ? start : scheme + authority.slice(0, 2);
  return decoded(beginning) + resolved(decoded(path.slice(beginning.length)).replaceAll("\\", "/")) + decodedQuery;
}

function resolved(path: string): string {
  const segments: string[] = [];
  const all = path.split("/");
  for (const segment of all) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  const end = segments.length > 0 && ["", ".", ".."].includes(all.at(-1)!) ? "/" : ""; // split makes one part or more
  return `${path.startsWith("/") ? "/" : ""}${segments.join("/")}${end}`;
}

/** What is no UTF-8 stays as it is. */
function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
}
