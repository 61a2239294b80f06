/** A request for many diagnostic recipes: how far it has come. Its recipes are made in chunks, each with its count. */
import type { RecipeTypeRevision } from '../recipe/type-revisions.ts';

export interface NewDiagnosticRun {
  readonly id: number;
  /** The shard of the actor that makes the recipes. */
  readonly shard: number;
  readonly recipeTypeRevId: number;
  /** The event of all its recipes and jobs. */
  readonly eventId: number;
  /** Recipes wanted, at least 1. */
  readonly total: number;
  readonly atMs: number;
}

export interface DiagnosticRun {
  readonly id: number;
  readonly eventId: number;
  readonly total: number;
  /** Recipes made so far. */
  readonly madeCount: number;
  readonly plan: RecipeTypeRevision;
}

/** limit: recipes of one request. */
export const DIAGNOSTICS_MAX = 1_000_000;
