/**
 * A request for many diagnostic recipes, with its progress. Recipes are created in chunks, each saved with its count.
 */
import type { RecipeTypeRevision } from '../recipe/type-revisions.ts';

export interface NewDiagnosticRun {
  readonly id: number;
  /** The shard of the actor that creates the recipes. */
  readonly shard: number;
  readonly recipeTypeRevId: number;
  /** The event of all its recipes and jobs. */
  readonly eventId: number;
  /** Requested recipes, at least 1. */
  readonly total: number;
  readonly atMs: number;
}

export interface DiagnosticRun {
  readonly id: number;
  readonly eventId: number;
  readonly total: number;
  /** Recipes created so far. */
  readonly madeCount: number;
  readonly revision: RecipeTypeRevision;
}

/** limit: recipes of one request. */
export const DIAGNOSTICS_MAX = 1_000_000;
