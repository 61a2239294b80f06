/**
 * A recipe type revision with everything that its recipes need: the definition, and each node's job type revision,
 * sub-recipe revision or filter. The store builds it from rows; it is shared and never changed.
 */

import type { Manifest } from '../manifest/manifest.ts';
import type { Resources } from '../scheduling/scheduling-class.ts';
import type { RecipeDefinition } from './recipe-definition.ts';

/** A job type revision, as far as owners of jobs need it. */
export interface JobTypeRevision {
  readonly jobTypeId: number;
  readonly jobTypeRevId: number;
  readonly jobTypeName: string;
  readonly jobTypeVersion: string;
  readonly isActive: boolean;
  readonly isSystem: boolean;
  readonly containerImage: string;
  /** Normalised. */
  readonly manifest: Manifest;
  /** The job type's current configuration, without secrets. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly maxTries: number;
  /** The newest revision; absent: this is the newest. */
  readonly newest?: JobTypeRevision;
}

export interface RecipeTypeRevision {
  readonly recipeTypeId: number;
  readonly recipeTypeRevId: number;
  readonly recipeTypeName: string;
  readonly revisionNum: number;
  /** Normalised. */
  readonly definition: RecipeDefinition;
  readonly jobs: ReadonlyMap<string, JobTypeRevision>;
  readonly subRecipes: ReadonlyMap<string, RecipeTypeRevision>;
}

/** Amounts an execution holds, and the part of disk that is its inputs (MiB). */
export interface HeldResources {
  readonly resources: Resources;
  readonly inputMib: number;
}
