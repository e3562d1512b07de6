/** Skills that several tests serve, and a server of them. */
import { McpServer, type McpServerOptions } from "tenon/server";
import { skills, type SkillsOptions } from "tenon/ext/skills";

export const SKILLS = "io.modelcontextprotocol/skills";

/** A `SKILL.md` with that name. */
export function manifest(name: string, body = "Do it well.\n", more = ""): string {
  return `---\nname: ${name}\ndescription: How to do ${name}\n${more}---\n${body}`;
}

export const PDF: Readonly<Record<string, string | Uint8Array>> = {
  "pdf/SKILL.md": manifest("pdf", "See [forms](references/FORMS.md).\n"),
  "pdf/references/FORMS.md": "# Forms\n",
  "pdf/references/Q&A.md": "Questions\r\n",
  "pdf/logo.png": Uint8Array.of(0x89, 0x50, 0xff, 0),
  "sums/SKILL.md": manifest("sums"),
};

/** A server of skills that reports what it left out to `told`. */
export function serverOf(
  files: string | Readonly<Record<string, string | Uint8Array>>,
  options: SkillsOptions = {},
  told: unknown[] = [],
  more: McpServerOptions = {},
): McpServer {
  return new McpServer(
    { name: "office", version: "1" },
    { onError: (error) => void told.push(error), extensions: [skills(files, options)], ...more },
  );
}
