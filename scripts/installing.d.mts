export function pagesIn(root: string): readonly string[];
export function withInstalling(page: string, text: string, from: "clone" | "npm"): string;
