/**
 * The hosts, as far as a server at a URL concerns them: how each writes it in its configuration, and the link or the command that adds it.
 *
 * The page of an endpoint shows them, and `tenon install` writes them. Each row follows the documentation of the host, checked in November
 * 2026; its address stands beside it.
 */

/** A value as JSON and TOML can hold it. */
export type EntryValue = string | boolean | readonly EntryValue[] | { readonly [name: string]: EntryValue };
export interface Entry {
  readonly [name: string]: EntryValue;
}

export interface HostUrl {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HostForm {
  readonly id: string;
  readonly name: string;
  readonly format: "json" | "toml";
  readonly key: string;
  /** The fields of a server at a URL; undefined if the host takes none from its file. */
  readonly url: ((server: HostUrl) => Entry) | undefined;
  /** The link that makes the host ask its user whether to add the server. @param name of letters, digits, `-` and `_` */
  readonly link?: (name: string, entry: Entry) => string;
  /** The command of the host that adds the server. @param url as it stands in a shell */
  readonly command?: (name: string, url: string) => string;
}

const withHeaders = ({ headers }: HostUrl): Entry => (Object.keys(headers).length === 0 ? {} : { headers });
const plainUrl = (server: HostUrl): Entry => ({ url: server.url, ...withHeaders(server) });
const typedUrl = (server: HostUrl): Entry => ({ type: "http", url: server.url, ...withHeaders(server) });
const packed = (entry: Entry): string => encodeURIComponent(btoa(JSON.stringify(entry)));

type HostKey = "claudeDesktop" | "claudeCode" | "vscode" | "cursor" | "windsurf" | "zed" | "geminiCli" | "codex" | "lmStudio";

export const HOST_FORMS: Readonly<Record<HostKey, HostForm>> = {
  /** https://modelcontextprotocol.io/docs/develop/connect-local-servers */
  claudeDesktop: { id: "claude-desktop", name: "Claude Desktop", format: "json", key: "mcpServers", url: undefined },
  /** https://code.claude.com/docs/en/mcp */
  claudeCode: {
    id: "claude-code",
    name: "Claude Code",
    format: "json",
    key: "mcpServers",
    url: typedUrl,
    command: (name, url) => `claude mcp add --transport http ${name} ${url}`,
  },
  /** https://code.visualstudio.com/docs/copilot/reference/mcp-configuration, https://code.visualstudio.com/api/extension-guides/ai/mcp */
  vscode: {
    id: "vscode",
    name: "VS Code",
    format: "json",
    key: "servers",
    url: typedUrl,
    link: (name, entry) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...entry }))}`,
  },
  /** https://cursor.com/docs/context/mcp, https://cursor.com/docs/mcp/install-links */
  cursor: {
    id: "cursor",
    name: "Cursor",
    format: "json",
    key: "mcpServers",
    url: plainUrl,
    link: (name, entry) => `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${packed(entry)}`,
  },
  /** https://docs.windsurf.com/windsurf/cascade/mcp */
  windsurf: {
    id: "windsurf",
    name: "Windsurf",
    format: "json",
    key: "mcpServers",
    url: (server) => ({ serverUrl: server.url, ...withHeaders(server) }),
  },
  /** https://zed.dev/docs/ai/mcp */
  zed: {
    id: "zed",
    name: "Zed",
    format: "json",
    key: "context_servers",
    url: (server) => ({ source: "custom", ...plainUrl(server) }),
  },
  /** https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md */
  geminiCli: {
    id: "gemini-cli",
    name: "Gemini CLI",
    format: "json",
    key: "mcpServers",
    url: (server) => ({ httpUrl: server.url, ...withHeaders(server) }),
    command: (name, url) => `gemini mcp add --transport http ${name} ${url}`,
  },
  /** https://developers.openai.com/codex/mcp */
  codex: {
    id: "codex",
    name: "Codex",
    format: "toml",
    key: "mcp_servers",
    url: ({ url, headers }) => ({ url, ...(Object.keys(headers).length > 0 && { http_headers: headers }) }),
    command: (name, url) => `codex mcp add ${name} --url ${url}`,
  },
  /** https://lmstudio.ai/docs/app/mcp, https://lmstudio.ai/docs/app/mcp/deeplink */
  lmStudio: {
    id: "lm-studio",
    name: "LM Studio",
    format: "json",
    key: "mcpServers",
    url: plainUrl,
    link: (name, entry) => `lmstudio://add_mcp?name=${name}&config=${packed(entry)}`,
  },
};

/** Longest name that is made from the name of a server. */
const MAX_MADE_NAME = 40;

/** Makes a name that may stand in a file, in a link and in a command, from what a server calls itself. */
export function toServerName(text: string): string {
  const name = text
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_MADE_NAME);
  return name === "" || name === "__proto__" ? "server" : name;
}
