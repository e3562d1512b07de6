export declare function tryReadme(root: string, packages: readonly string[], env?: Readonly<Record<string, string>>): string;
