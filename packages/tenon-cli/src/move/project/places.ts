/** Where a project gets the layer and Tenon from: the place that this command was itself installed from. */
import { existsSync } from "node:fs";
import { UsageError } from "../../failure.ts";
import { installedFrom } from "../../init/installed-from.ts";
import { packageFolder, packageVersion } from "../../version.ts";
import { LAYER } from "./project.ts";

export interface LayerPlaces {
  /** What takes the place of the official SDK, as a dependency names it: `npm:tenon-sdk-v1@^0.1.0` or `file:/…/tenon-sdk-v1-0.1.0.tgz`. */
  readonly layer: string;
  /** The same of Tenon. */
  readonly tenon: string;
  /** What the user must know of a place that is not a version of the registry. */
  readonly note: string | undefined;
}

/** @throws UsageError if the layer is not where the command came from */
export function layerPlaces(): LayerPlaces {
  const place = installedFrom(packageFolder("tenon-cli"), packageVersion());
  if (place.range.startsWith("^")) return { layer: `npm:${LAYER}@${place.range}`, tenon: place.range, note: undefined };
  const of = (name: string): string => {
    const range = place.range.replace(/tenon-cli(?=-[^/\\]*\.tgz$)/, name);
    if (range === place.range)
      throw new UsageError(`The command was installed from ${range}, and no tarball of ${name} is known beside it.`);
    const path = range.startsWith("file:") ? range.slice("file:".length) : undefined;
    if (path !== undefined && !existsSync(path))
      throw new UsageError(`${path} is missing.${place.first === undefined ? "" : ` First run: ${place.first}`}`);
    return range;
  };
  return { layer: of(LAYER), tenon: of("tenon"), note: place.note };
}
