/** A row of docs/project/works-with.json. */
export interface Row {
  readonly name: string;
  readonly version: string;
  readonly differences: readonly { readonly at: string }[];
}
/** The differences of a row, each with the reason why it is right as it is; without one if explained.json does not say. */
export function explained(row: Row): readonly { readonly at: string; readonly reason?: string }[];
