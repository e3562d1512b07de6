/**
 * The order of files in continuous integration: one that a seed draws, so that no file comes to need the one before it. Those of
 * a project follow each other, as they do without a seed: files that share processes would else find theirs ended by a file of
 * another.
 */
import { createHash } from "node:crypto";
import { BaseSequencer, type TestSpecification } from "vitest/node";

export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const drawn = files.map((file) => ({ file, key: createHash("sha256").update(`${seed}:${file.moduleId}`).digest("hex") }));
    drawn.sort((one, other) => (one.key < other.key ? -1 : 1));
    return drawn.map(({ file }) => file).toSorted((one, other) => one.project.name.localeCompare(other.project.name));
  }
}
