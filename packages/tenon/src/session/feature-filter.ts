/** What selects features: by name, kind, tag or version. */

/** What a feature can be. */
export type FeatureKind = "tool" | "resource" | "template" | "prompt";
export const FEATURE_KINDS: readonly FeatureKind[] = ["tool", "resource", "template", "prompt"];

/** Selects features: those that match every member that is given. */
export interface FeatureFilter {
  /** Names, URIs or URI templates. */
  readonly names?: readonly string[];
  /** Kinds of features. */
  readonly kinds?: readonly FeatureKind[];
  /** Tags: a feature must have one of them at least. */
  readonly tags?: readonly string[];
  /** The version. */
  readonly version?: string;
}

/** A name, a URI or a URI template of any kind; or a filter. */
export type Selection = string | FeatureFilter;

/** What a handler does to the features of its session. */
export interface VisibilityChange {
  /** Whether it hides or shows what it selects; `"reset"` undoes all earlier changes. */
  readonly action: "hide" | "show" | "reset";
  readonly selections: readonly Selection[];
}
