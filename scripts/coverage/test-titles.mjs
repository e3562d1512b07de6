// The titles of tests, read from their source: what `scripts/coverage.mjs` looks for ids in. It sits beside that script and is
// not a TypeScript parser: it knows strings, templates, comments, regular expressions and brackets, and throws where these do not close.
//
// What counts as a title
//   - the first argument of `describe`, `it`, `test` and of our own `describeSomething`, where it is a string or a template;
//   - with `.each(table)` or `.for(table)`, besides: the strings of the table that begin with an id, whether the table stands there or is a
//     constant of the same file, because they become part of a title through `%s` or `$name`.
// What does not: comments, ids that come out of an expression, and whatever is marked `skip`, `todo`, `fails` or `only`.
// A range such as `A1-A9` names no row but the ones it spells out.

const CALL = /(?<![\w.$"'`])(?:describe\w*|it|test)(?=[\s.(<])/g;
const MODIFIER = /\s*\.\s*(\w+)/y;
const NOT_RUN = new Set(["skip", "todo", "fails", "only"]);
/** Ids of the checklist, the requirements and the fault table: `SS-61`, `R-1`, `A1.10`, `C.5`, `H12`, and a fault by its section: `b.9-E2`. */
const ID = /(?<![\w.-])(?:b\.\d+-)?(?:[A-Z]{1,2}-\d+|[A-Z]\.\d+|[A-Z]\d+(?:\.\d+)?)(?![\w-]|\.\d)/g;
const OPEN_TO_CLOSE = { "(": ")", "[": "]", "{": "}" };

/** The ids a text spells out. */
export function idsIn(text) {
  return text.match(ID) ?? [];
}

/** Every title of a test file: `{ line, title, ids }`. `ids` holds those of its table's rows too. */
export function titlesOf(source) {
  const text = blankComments(source);
  const titles = [];
  for (const match of text.matchAll(CALL)) {
    const call = readCall(text, match.index + match[0].length);
    if (call === undefined || call.modifiers.some((name) => NOT_RUN.has(name))) continue;
    const title = leadingString(call.groups.at(-1));
    if (title === undefined) continue;
    const tables = call.groups.slice(0, -1).flatMap((table) => [table, constantOf(text, table.trim())]);
    const rows = tables.flatMap((table) => stringsOf(table ?? "")).filter((row) => idsIn(row).length > 0 && startsWithId(row));
    const line = text.slice(0, match.index).split("\n").length;
    titles.push({ line, title, ids: [...new Set([title, ...rows].flatMap(idsIn))] });
  }
  return titles;
}

/** Modifiers and argument lists after a callee, or undefined where nothing is called: `.each([…])("…", …)` has two lists. */
function readCall(text, start) {
  const modifiers = [];
  const groups = [];
  for (let at = start; ;) {
    MODIFIER.lastIndex = at;
    const modifier = MODIFIER.exec(text);
    if (modifier !== null) {
      modifiers.push(modifier[1]);
      at = MODIFIER.lastIndex;
      continue;
    }
    if (text[at] === "<") at = endOfTypes(text, at);
    if (text[at] !== "(") return groups.length > 0 ? { modifiers, groups } : undefined;
    const end = endOfGroup(text, at);
    groups.push(text.slice(at + 1, end));
    at = end + 1;
  }
}

/** Past the type arguments that begin at `start`: `<[string, (id: number) => string]>`. */
function endOfTypes(text, start) {
  let depth = 0;
  const end = eachToken(text, start, (at) => {
    if (text[at] === "<") depth++;
    else if (text[at] === ">" && text[at - 1] !== "=") depth--;
    return depth === 0;
  });
  return end + 1;
}

/** The array a `const name = […]` of the file holds, where `name` is all the table says. */
function constantOf(text, name) {
  if (!/^\w+$/.test(name)) return undefined;
  const declared = new RegExp(`const ${name}\\b[^=]*= *(?=\\[)`).exec(text);
  if (declared === null) return undefined;
  const start = declared.index + declared[0].length;
  return text.slice(start, endOfGroup(text, start) + 1);
}

function leadingString(group) {
  const start = group.search(/\S/);
  return start >= 0 && "\"'`".includes(group[start]) ? unquoted(group, start, endOfString(group, start)) : undefined;
}

function stringsOf(text) {
  const strings = [];
  eachToken(text, 0, (start, end) => {
    if ("\"'`".includes(text[start])) strings.push(unquoted(text, start, end));
  });
  return strings;
}

function startsWithId(text) {
  return text.search(ID) === 0;
}

/** A string without its quotes; the expressions of a template say nothing of ids. */
function unquoted(text, start, end) {
  return text.slice(start + 1, end - 1).replace(/\$\{[^}]*\}/g, "…");
}

function endOfGroup(text, start) {
  const closers = [];
  const end = eachToken(text, start, (at) => {
    if (text[at] in OPEN_TO_CLOSE) closers.push(OPEN_TO_CLOSE[text[at]]);
    else if (text[at] === closers.at(-1)) closers.pop();
    return closers.length === 0;
  });
  if (closers.length > 0) throw new Error(`a bracket does not close after: ${text.slice(start, start + 60)}`);
  return end;
}

/** Visits strings, regular expressions and comments as one token each and the rest by character; ends where `visit` says so. */
function eachToken(text, start, visit) {
  for (let at = start; at < text.length;) {
    const end = endOfToken(text, at);
    if (visit(at, end) === true) return at;
    at = end;
  }
  return text.length;
}

function endOfToken(text, at) {
  if ("\"'`".includes(text[at])) return endOfString(text, at);
  if (text[at] !== "/") return at + 1;
  if (text[at + 1] === "/") return endOr(text.indexOf("\n", at), text);
  if (text[at + 1] === "*") return endOr(text.indexOf("*/", at + 2) + 2, text);
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  if (!/(?:^|[([{,;:=!&|?+>]|\breturn)$/.test(before)) return at + 1; // a division
  const expression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at + 1;
}

function endOfString(text, start) {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at + 1;
    else if (quote === "`" && text.startsWith("${", at)) at = endOfGroup(text, at + 1);
  }
  throw new Error(`a string does not end: ${text.slice(start, start + 60)}`);
}

function endOr(end, text) {
  return end <= 1 ? text.length : end;
}

/** The text with every comment as blanks, so that lines stay where they are. */
function blankComments(text) {
  let code = "";
  eachToken(text, 0, (start, end) => {
    const token = text.slice(start, end);
    code += /^\/[/*]/.test(token) && end > start + 1 ? token.replace(/[^\n]/g, " ") : token;
  });
  return code;
}
