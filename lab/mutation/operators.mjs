// The mutants of a source file: each changes one expression or statement as a careless programmer might.
import { parseSync } from "rolldown/utils";

/** Operators and what they become. */
const BINARY = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
};
const LOGICAL = { "&&": ["||"], "||": ["&&"], "??": ["&&"] };
const UPDATE = { "++": "--", "--": "++" };

/** Fields of a node that are no code that runs, or must stay as they are: types, names, specifiers. */
const SKIPPED = new Set([
  "typeAnnotation",
  "returnType",
  "typeParameters",
  "typeArguments",
  "implements",
  "source",
  "superTypeArguments",
]);

/** What each kind of node becomes: `[operator, text]`, or `[operator, text, start, end]` for a part of it. */
const MUTATIONS = {
  IfStatement: ({ test }, text) => conditions(test, text),
  ConditionalExpression: ({ test }, text) => conditions(test, text),
  WhileStatement: ({ test }) => [["condition", "false", test.start, test.end]],
  BinaryExpression: (node, text) => swapped(node, BINARY[node.operator], text),
  LogicalExpression: (node, text) => swapped(node, LOGICAL[node.operator], text),
  UpdateExpression: (node, text) => [["update", text(node).replace(node.operator, UPDATE[node.operator])]],
  UnaryExpression(node, text) {
    return node.operator === "!" || node.operator === "-" ? [["unary", `(${text(node.argument)})`]] : [];
  },
  Literal({ value }) {
    if (typeof value === "boolean") return [["boolean", String(!value)]];
    return typeof value === "string" && value !== "" ? [["string", '""']] : [];
  },
  TemplateLiteral: () => [["string", "``"]],
  ArrayExpression: ({ elements }) => (elements.length > 0 ? [["array", "[]"]] : []),
  ReturnStatement({ argument }) {
    return argument === null || isPlain(argument) ? [] : [["returned value", "undefined", argument.start, argument.end]];
  },
  ArrowFunctionExpression({ body }) {
    return body.type === "BlockStatement" || isPlain(body) ? [] : [["returned value", "(undefined)", body.start, body.end]];
  },
  ExpressionStatement({ expression, directive }) {
    return directive === undefined && expression.type !== "UpdateExpression" ? [["removed statement", ";"]] : [];
  },
};

/** Their own mutants, or `undefined` for `undefined`, say the same. */
const isPlain = ({ type, name, value }) =>
  (type === "Identifier" && name === "undefined") || (type === "Literal" && ["boolean", "string"].includes(typeof value));

const conditions = ({ start, end }) => [
  ["condition", "true", start, end],
  ["condition", "false", start, end],
];

/** The operator of `left operator right`, exchanged. */
function swapped({ left, right, operator }, others, text) {
  const between = text({ start: left.end, end: right.start });
  return (others ?? []).map((other) => ["operator", between.replace(operator, other), left.end, right.start]);
}

/**
 * @param file as it is named in the report
 * @returns mutants in the order of the source: `{ file, line, operator, start, end, replacement }`
 */
export function mutantsOf(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const text = ({ start, end }) => source.slice(start, end);
  const mutants = [];
  visit(program, (node) => {
    for (const [operator, replacement, start = node.start, end = node.end] of MUTATIONS[node.type]?.(node, text) ?? []) {
      if (text({ start, end }) === replacement) continue;
      mutants.push({ file, line: source.slice(0, start).split("\n").length, operator, start, end, replacement });
    }
  });
  return mutants;
}

function visit(node, enter) {
  if (Array.isArray(node)) return node.forEach((one) => visit(one, enter));
  if (typeof node?.type !== "string" || (node.type.startsWith("TS") && !WRAPPERS.has(node.type))) return;
  enter(node);
  for (const [key, child] of Object.entries(node)) {
    if (typeof child !== "object" || child === null || SKIPPED.has(key) || isName(node, key)) continue;
    visit(child, enter);
  }
}

/** TypeScript's wrappers of an expression. */
const WRAPPERS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression", "TSParameterProperty"]);

/** A property's name, unless it is computed, and the parts of a template's text. */
const isName = (node, key) => (key === "key" && !node.computed) || key === "quasis" || node.type.startsWith("Import");

/** The source with a mutant in it. */
export function mutated(source, { start, end, replacement }) {
  return source.slice(0, start) + replacement + source.slice(end);
}
