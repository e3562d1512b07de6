/** Skills: two of them, one with a folder inside, in memory, so that they are served on every runtime. */
import { skills } from "tenon/ext/skills";

const manifest = (name, description, body) => `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

export const exampleSkills = skills(
  {
    "pdf-forms/SKILL.md": manifest(
      "pdf-forms",
      "Fill in the forms of a PDF document",
      "# Forms\n\nRead [the reference](references/FIELDS.md) first.",
    ),
    "pdf-forms/references/FIELDS.md": "# Fields\n\nText fields, check boxes and lists.\n",
    "pdf-forms/scripts/fill.txt": "One field a line.\n",
    "release-notes/SKILL.md": manifest(
      "release-notes",
      "Write the notes of a release",
      "# Notes\n\nOne line for each change that a user sees.",
    ),
  },
  { ttlMs: 60_000, cacheScope: "public" },
);
