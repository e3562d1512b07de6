/** Which files are TypeScript, and whether Node reads them itself. */

/** Matches the paths of TypeScript that can be imported. */
export const TYPESCRIPT: RegExp = /\.[mc]?ts$/;

/** True on Node 22.18 and later, unless it is switched off. Older versions lack the member. */
export function readsTypeScript(): boolean {
  const { typescript } = process.features as { typescript?: string | false };
  return typeof typescript === "string";
}
