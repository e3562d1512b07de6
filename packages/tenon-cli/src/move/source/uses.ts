/** Where a project uses the official SDK: constructions, calls on its servers, callbacks that are set on its objects. */
import { importsOf, officialName, type Imports } from "./imports.ts";
import { memberName, type Node, treeOf, walk } from "./syntax-tree.ts";
import type { SourceFile } from "./source-files.ts";

export interface Use {
  /** Such as `new McpServer`, `registerTool()`, `oninitialized =`, or a module: `client/websocket`. */
  readonly what: string;
  readonly file: string;
  readonly line: number;
}

/** Methods whose name is the SDK's alone. */
const OWN_METHODS = new Set(
  (
    "registerTool registerResource registerPrompt registerToolTask setRequestHandler setNotificationHandler registerCapabilities " +
    "sendLoggingMessage sendResourceUpdated sendToolListChanged sendResourceListChanged sendPromptListChanged " +
    "elicitInput createMessage listRoots getClientCapabilities getClientVersion sendNotification sendRequest handlePostMessage " +
    "closeSSEStream closeStandaloneSSEStream createElicitationCompletionNotifier callToolStream"
  ).split(" "),
);
/** Methods that other objects have, too: only on what is named as a server. */
const SHARED_METHODS = new Set(["tool", "resource", "prompt", "connect"]);
const CALLBACKS = new Set(["oninitialized", "onclose", "onerror", "fallbackRequestHandler", "fallbackNotificationHandler"]);
const SERVER_NAME = /(?:server|mcp)$/i;

export interface Scan {
  readonly uses: readonly Use[];
  /** Files that load the SDK by `require`. */
  readonly required: readonly Use[];
  /** Files that cannot be parsed. */
  readonly unread: readonly string[];
}

export function usesIn(files: readonly SourceFile[]): Scan {
  const [uses, required, unread]: [Use[], Use[], string[]] = [[], [], []];
  for (const { path, text } of files) {
    if (!/modelcontextprotocol|[sS]erver|[mM]cp/.test(text)) continue;
    try {
      const tree = treeOf(text, path);
      const imports = importsOf(tree);
      for (const { module, line, isRequired } of imports.modules) {
        uses.push({ what: module, file: path, line });
        if (isRequired) required.push({ what: `require() of ${module}`, file: path, line });
      }
      walk(tree, (node) => {
        const what = useOf(node, imports);
        if (what !== undefined) uses.push({ what, file: path, line: node.loc?.start.line ?? 0 });
      });
    } catch {
      unread.push(path);
    }
  }
  return { uses, required, unread };
}

function useOf(node: Node, imports: Imports): string | undefined {
  const isOfSdk = imports.modules.length > 0;
  if (node.type === "NewExpression") {
    const name = officialName(node.callee, imports);
    return name === undefined ? undefined : `new ${name}`;
  }
  if (node.type === "CallExpression" || node.type === "OptionalCallExpression") {
    const method = memberName(node.callee);
    if (method !== undefined) return methodUse(method, node.callee, isOfSdk);
    const name = officialName(node.callee, imports);
    return name === undefined ? undefined : `${name}()`;
  }
  if (node.type === "ObjectProperty" && node.key.type === "Identifier" && node.key.name === "taskStore" && isOfSdk) return "taskStore";
  if (node.type !== "AssignmentExpression" || !isOfSdk) return undefined;
  const callback = memberName(node.left);
  return callback !== undefined && CALLBACKS.has(callback) ? `${callback} =` : undefined;
}

function methodUse(method: string, callee: Node, isOfSdk: boolean): string | undefined {
  if (!("object" in callee) || callee.object === null || callee.object === undefined) return undefined;
  if (OWN_METHODS.has(method)) return isOfSdk || SERVER_NAME.test(lastName(callee.object) ?? "") ? `${method}()` : undefined;
  return SHARED_METHODS.has(method) && isOfSdk && SERVER_NAME.test(lastName(callee.object) ?? "") ? `${method}()` : undefined;
}

/** The last name of `this.mcpServer` or `server`. */
function lastName(node: Node): string | undefined {
  return node.type === "Identifier" ? node.name : memberName(node);
}
