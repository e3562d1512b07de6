import type { DocPage } from "../src/docs/pages.ts";

export function docsPages(): DocPage[];
export function writeDocsPages(file: string): void;
