interface Row {
  readonly feature: string;
  readonly others: string;
  readonly only?: string;
}
export function publicNames(): ReadonlySet<string>;
export function hasTest(test: readonly [file: string, title: string]): boolean;
export function readFeatures(): { readonly sections: readonly { readonly rows: readonly Row[] }[] };
export function featuresPage(): string;
