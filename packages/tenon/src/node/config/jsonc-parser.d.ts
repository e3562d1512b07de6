/**
 * The ES modules of `jsonc-parser`, by their path: its main file is UMD, which no bundler can follow. The types are the ones of
 * the package.
 */
declare module "jsonc-parser/lib/esm/main.js" {
  export * from "jsonc-parser";
}
