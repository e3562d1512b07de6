// What of a declaration a user of the package sees: the members of its type, and the other types it names.

/** Members of the literals a type is made of: `A & { b: string }`, a union of literals. Not of those inside members. */
function literalMembers(type) {
  if (type?.type === "TSTypeLiteral") return type.members;
  if (type?.type === "TSIntersectionType" || type?.type === "TSUnionType") return type.types.flatMap(literalMembers);
  if (type?.type === "TSParenthesizedType") return literalMembers(type.typeAnnotation);
  // `Readonly<{ … }>`, `Partial<{ … }>`
  if (type?.type === "TSTypeReference") return (type.typeArguments?.params ?? []).flatMap(literalMembers);
  return [];
}

/** What is written in an object that is exported as a value: a table of constants, a namespace of functions. */
function objectMembers(expression) {
  if (expression?.type === "TSAsExpression" || expression?.type === "TSSatisfiesExpression") return objectMembers(expression.expression);
  return expression?.type === "ObjectExpression" ? expression.properties : [];
}

/** The members of a declaration, those that no user can name among them. */
export function membersOf(declaration) {
  switch (declaration.type) {
    case "TSInterfaceDeclaration":
    case "ClassDeclaration":
      return declaration.body.body;
    case "TSTypeAliasDeclaration":
      return literalMembers(declaration.typeAnnotation);
    case "VariableDeclaration":
      return declaration.declarations.flatMap(({ id, init }) => {
        const typed = literalMembers(id.typeAnnotation?.typeAnnotation);
        return typed.length > 0 ? typed : objectMembers(init);
      });
    default:
      return [];
  }
}

/** `name`, `[Symbol.iterator]`, `constructor`, `()` for a call signature; undefined for what has no name of its own. */
export function nameOf(member) {
  if (member.type === "TSCallSignatureDeclaration") return "()";
  if (member.type === "TSConstructSignatureDeclaration") return "new ()";
  if (member.key?.type === "MemberExpression") return `[Symbol.${member.key.property.name}]`;
  return member.key?.name ?? member.key?.value;
}

/** Whether no user can name it: `#private`, `private`, `protected`, and what has no name at all. */
export const isHidden = (member) =>
  nameOf(member) === undefined || member.key?.type === "PrivateIdentifier" || (member.accessibility ?? "public") !== "public";

/** Inherits nothing: it takes what its own class needs. */
export const isConstructor = (member) => member.kind === "constructor";

/** A constructor that takes nothing has nothing to say that its class has not. */
export const isBareConstructor = (member) => isConstructor(member) && member.value.params.length === 0;

/** One way to call a method that has several; what implements them is not one. */
export const isOverload = (member) => member.value?.type === "TSEmptyBodyFunctionExpression";

/** Whether it is data and no function: a property whose type is not one. */
export const isData = (member) => member.type === "TSPropertySignature" && member.typeAnnotation?.typeAnnotation.type !== "TSFunctionType";

/** Parts that are not in a type: bodies of functions, initial values and defaults. */
const INSIDE = new Set([
  "ArrowFunctionExpression.body",
  "AssignmentPattern.right",
  "FunctionDeclaration.body",
  "FunctionExpression.body",
  "PropertyDefinition.value",
  "VariableDeclarator.init",
]);

/** The names of types that a declaration refers to: heritage, parameters, results, annotations; not those in `hidden` nodes. */
export function* typesIn(node, hidden) {
  if (Array.isArray(node)) for (const child of node) yield* typesIn(child, hidden);
  if (typeof node?.type !== "string" || hidden.has(node)) return;
  const name = referredTo(node);
  if (name !== undefined) yield name;
  for (const [key, child] of Object.entries(node)) {
    if (typeof child === "object" && !INSIDE.has(`${node.type}.${key}`)) yield* typesIn(child, hidden);
  }
}

function referredTo(node) {
  switch (node.type) {
    case "TSTypeReference":
      return node.typeName.name;
    case "TSTypeQuery":
      return node.exprName.name;
    case "TSInterfaceHeritage":
    case "TSClassImplements":
      return node.expression.name;
    case "ClassDeclaration":
      return node.superClass?.name;
    default:
      return undefined;
  }
}
