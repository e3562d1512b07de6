/** Every way to connect in one process, for the revisions in which a server can ask its user. */
import { describeMatrix, REVISIONS, type MatrixCell } from "../support/matrix.ts";

export function describeAsking(title: string, body: (cell: MatrixCell) => void): void {
  describeMatrix(
    title,
    body,
    REVISIONS.filter((revision) => revision >= "2025-06-18"),
  );
}
