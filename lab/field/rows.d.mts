/** Every row that a run goes through. */
export const rows: readonly { readonly kind: "servers" | "clients"; readonly name: string; readonly version: string }[];
