/**
 * A recipe type revision with all that running it needs: the definition, and each node's job type revision,
 * sub-recipe plan or filter. Built by the store from rows; shared, never changed.
 */
import type { Resources } from '../scheduling/scheduling-class.ts';

/** What a job of one job type revision is, as far as its owner decides about it. */
export interface JobTypeRevision {
  readonly jobTypeId: number;
  readonly jobTypeRevId: number;
  readonly jobTypeName: string;
  readonly jobTypeVersion: string;
  readonly isActive: boolean;
  readonly isSystem: boolean;
  readonly containerImage: string;
  /** The revision's manifest, normalised (domain/manifest). */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The job type's current configuration, without secrets. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly maxTries: number;
  /** The plan of the newest revision; absent: this is the newest. */
  readonly newest?: JobTypeRevision;
}

export interface RecipeTypeRevision {
  readonly recipeTypeId: number;
  readonly recipeTypeRevId: number;
  readonly recipeTypeName: string;
  readonly revisionNum: number;
  /** Normalised definition (domain/recipe/recipe-definition). */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly jobs: ReadonlyMap<string, JobTypeRevision>;
  readonly subRecipes: ReadonlyMap<string, RecipeTypeRevision>;
}

/** Amounts an execution holds, and the part of disk that is its inputs (MiB). */
export interface HeldResources {
  readonly resources: Resources;
  readonly inputMib: number;
}
