/** The table of CONTRIBUTING.md, in Markdown. */
export function markdownTable(): string;
