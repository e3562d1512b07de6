// Fails where a text uses a word that docs/internals/glossary.md replaces, or a comment in `src/` cites a code of a list that the reader
// does not have (`SS-40`, `Z4`), or a file's head has no subject, or a line of a test is longer than its code may be. Read are `src/`, `docs/`,
// the Markdown files at the root, and the titles and lines of tests. Part of `npm run lint`.
//   node scripts/plain-words.mjs [folder of the project]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = resolve(process.argv[2] ?? new URL("..", import.meta.url).pathname);

/** Each pattern, and what to write instead. */
const WORDS = [
  [/\b(?:nobody|whoever|whomever|somebody|anybody|everybody)\b/i, "name the actor: the client, the caller, the user, the operator"],
  [/(?<!\bthere )\b(?:is|are) none\b(?! of)/i, 'say what is wrong: "if a limit is negative or not a number"'],
  [/\bthat (?:is|are) no\b(?! (?:longer|more))/i, '"that is not a …"'],
  [/\bgoes by\b/i, "uses, depends on"],
  [/\bstands? for\b/i, "means, represents"],
  [/\bof ours\b/i, "this process, Tenon"],
  [/\b(?:is|are) told\b/i, "receives, is called with"],
  [/\blets? go of\b/i, "releases"],
];

/** Patterns in comments, error texts and pages only: a title of a test is one sentence of a list, whose subject stands above it. */
const STIFF = [
  [/\bthose of\b/i, "repeat the noun, or write the owner's: \"the endpoint's scopes\""],
  [/\bthat of\b(?! all\b)/i, "repeat the noun, or write the owner's: \"the caller's share\""],
  [/(?<!\w )\bOf several\b/, '"If several servers …, the first server\'s …"'],
  [/(?<!(?:soon|left|stays) )\bas it is\b/i, "unchanged, without a copy"],
];

/** A code of a list: two letters, a dash and two digits, or one letter and a number. `V8` and the control characters are none. */
const CODE = /\b(?:[A-Z]{2}-\d{2}|b\.\d+-[A-Z]\d+|(?!V8\b|[CP]\d\b)[A-Z]\d{1,2}(?:\.\d{1,2})?)\b(?!["'`])/;

/** A file's head whose first sentence has no subject of its own. */
const HEADLESS = /^\/\*\*[\s*]*(?:Whose|Of|Those|That|None|What of|And|Beside)\b[^\n]*/;

/** The title of a test, without the ids in brackets at its end. */
const TITLE = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^()]*\))?\(\s*(["'`])((?:(?!\1).)*?)\s*(?:\[[^\][]*\]\s*)?\1/g;

/** A comment. Strings come first, so that what looks like a comment inside one is passed over. */
const COMMENT = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/.*)/g;

/** The width of code in tests (.oxfmtrc.json). The formatter leaves comments, titles and strings as long as they are. */
const WIDTH = 130;

/** What cannot be broken: a URL or a key, without a space, and a regular expression. */
const TOKEN = /^\s*(?:\S+|\/(?![/*]).+\/[a-z]*[,;)]*)$/;

function filesIn(folder, extension) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith(extension));
  return names.filter((name) => !name.includes("node_modules")).map((name) => join(root, folder, name));
}

/** The folder of this name in each package. */
function partsOf(name) {
  return existsSync(join(root, "packages")) ? readdirSync(join(root, "packages")).map((one) => join("packages", one, name)) : [];
}

const lineAt = (text, index) => text.slice(0, index).split("\n").length;

/** The faults in a part of a file that begins at `offset`. */
function wordsIn(file, text, part, offset, words = WORDS) {
  return words.flatMap(([pattern, instead]) =>
    [...part.matchAll(new RegExp(pattern, pattern.flags + "g"))].map(
      (match) => `${relative(root, file)}:${lineAt(text, offset + match.index)}: "${match[0]}": ${instead}`,
    ),
  );
}

function codesIn(file, text) {
  return [...text.matchAll(COMMENT)].flatMap(({ 1: comment, index }) => {
    const code = comment && CODE.exec(comment);
    return code ? [`${relative(root, file)}:${lineAt(text, index + code.index)}: "${code[0]}": name the source, or say the reason`] : [];
  });
}

function headsIn(file, text) {
  return !file.endsWith(".test.ts") && HEADLESS.test(text)
    ? [`${relative(root, file)}:1: the head has no subject: say what the file is or does`]
    : [];
}

function titlesOf(file, text) {
  return [...text.matchAll(TITLE)].flatMap((match) => wordsIn(file, text, match[2], match.index + match[0].indexOf(match[2])));
}

function widthsOf(file, text) {
  return text
    .split("\n")
    .flatMap((line, index) =>
      line.length > WIDTH && !TOKEN.test(line)
        ? [`${relative(root, file)}:${index + 1}: ${line.length} characters: break or shorten it, a line of a test has at most ${WIDTH}`]
        : [],
    );
}

const markdown = [
  ...filesIn("docs", ".md").filter((file) => !relative(root, file).startsWith(join("docs", "reference"))), // made from the source
  ...readdirSync(root)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(root, name)),
];
const glossary = join(root, "docs", "internals", "glossary.md"); // it lists the words
const source = partsOf("src").flatMap((folder) => filesIn(folder, ".ts"));
const found = [];
for (const file of [...source, ...markdown.filter((name) => name !== glossary)]) {
  const text = readFileSync(file, "utf8");
  found.push(...wordsIn(file, text, text, 0));
  if (!file.endsWith(".test.ts")) found.push(...wordsIn(file, text, text, 0, STIFF));
}
for (const file of source) {
  const text = readFileSync(file, "utf8");
  found.push(...codesIn(file, text), ...headsIn(file, text));
}
for (const file of [...partsOf("test"), "lab"].flatMap((folder) => filesIn(folder, ".test.ts")))
  found.push(...titlesOf(file, readFileSync(file, "utf8")));
const parts = partsOf("test").flatMap((folder) => [".ts", ".js", ".mjs"].flatMap((extension) => filesIn(folder, extension)));
const tests = [...parts, ...[...partsOf("src"), "lab"].flatMap((folder) => filesIn(folder, ".test.ts"))];
for (const file of tests) found.push(...widthsOf(file, readFileSync(file, "utf8")));

if (found.length > 0) {
  console.error(found.join("\n"));
  process.exit(1);
}
console.log(
  `plain words: ${source.length} source files, ${markdown.length} pages and the titles of tests use none that the glossary replaces; ` +
    `${tests.length} files of tests have no line over ${WIDTH} characters`,
);
