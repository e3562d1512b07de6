/** The report: what became of each operation of a document. */

/** What became of one operation. */
export interface OpenApiReportEntry {
  /** Its method and path: `GET /pets/{id}`. */
  readonly operation: string;
  /** The name of its tool; absent if it is not a tool. */
  readonly tool?: string;
  /** The URI or the template of its resource; absent if it is not a resource. */
  readonly resource?: string;
  /** `"reduced"`: a tool whose schema was too large, so that deep parts of it are left out. */
  readonly status: "tool" | "resource" | "reduced" | "skipped";
  /** Why it was left out or reduced, or what else differs from the document. */
  readonly why?: string;
}
