/** Reprocesses a recipe on request. The request is checked here, and again by the owner of the recipe's chain. */
import { type Reprocess, type ReprocessAnswer, recipeAddress } from '../../actors/recipe/recipe.messages.ts';
import { isAbsent, isJsonObject } from '../../domain/document/json-value.ts';
import { ignoresUnknownFields, ignoreUnknownFields } from '../../domain/document/unknown-fields.ts';
import { AppError } from '../../domain/errors.ts';
import {
  checkForcedNodes,
  type ForcedNodes,
  NOTHING_FORCED,
  validateForcedNodes,
} from '../../domain/recipe/forced-nodes.ts';
import { previewReprocess, reprocessProblem } from '../../domain/recipe/reprocess.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import type { Asker, RawBody } from '../../http/route.ts';
import type { IdPort, System } from '../../kernel/mod.ts';
import type { RevisionCache } from '../../store/catalog/revision-cache.ts';
import { loadRecipeTrees } from '../../store/recipe/load.ts';
import { type ReprocessFacts, reprocessFacts } from '../../store/recipe/reprocess-facts.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { afterRequestsForChain } from '../shared/earlier-requests.ts';
import { answerByKey } from '../shared/idempotency.ts';
import { ASK_DEADLINE_MS, freshId, refuseProblems, tracedEvent } from '../shared/requests.ts';
import type { RecipeReprocessBody, ReprocessPreviewRecord } from './schema.ts';

export interface ReprocessParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly revisions: RevisionCache;
  readonly system: Pick<System, 'ask'>;
}

// limit: jobs that a preview names.
const CANCELED_NAMED = 100;

/** A valid request: the recipe, and how it is reprocessed. */
interface Accepted {
  readonly facts: ReprocessFacts;
  readonly forced: ForcedNodes;
  readonly issues: IssueList;
}

/** Throws NOT_FOUND, STATE_CONFLICT (superseded), or INVALID_REQUEST with every problem. */
async function accepted(
  parts: ReprocessParts,
  recipeId: number,
  body: RecipeReprocessBody,
): Promise<Accepted> {
  const facts = await reprocessFacts(parts.sql, recipeId, body.revision_num ?? null);
  if (facts === undefined) throw new AppError('NOT_FOUND', `there is no recipe ${recipeId}`);
  const issues = new IssueList();
  const forced = forcedOf(body, issues);
  if (facts.isSuperseded) {
    const by = facts.successorId === null ? '' : ` by recipe ${facts.successorId}`;
    throw superseded(`the recipe ${recipeId} is superseded${by}`);
  }
  await check(parts.revisions, recipeId, facts, forced, issues);
  refuseProblems(issues);
  return { facts, forced, issues };
}

/** What the reprocess would do now. Throws as `accepted`. */
export async function previewOf(
  parts: ReprocessParts,
  recipeId: number,
  body: RecipeReprocessBody,
  nowMs: number,
): Promise<ReprocessPreviewRecord> {
  const { facts, forced, issues } = await accepted(parts, recipeId, body);
  const { chainId, nextRevId } = facts;
  const [revisions, trees] = await Promise.all([
    parts.revisions.recipeRevisions(nextRevId === null ? [] : [nextRevId]),
    loadRecipeTrees(parts.sql, parts.revisions, [chainId]),
  ]);
  const [revision, tree] = [revisions.get(nextRevId ?? 0), trees.get(chainId)];
  if (revision === undefined || tree?.rootId !== recipeId)
    throw superseded(`the recipe ${recipeId} is superseded`);
  // In a preview, rows that would be created get negative ids, which appear in no answer.
  const order = {
    recipeId: -1,
    revision,
    forced,
    eventId: 0,
    batchId: null,
    batchMemberId: null,
    batchPriority: null,
  };
  const preview = previewReprocess(tree, order, nowMs);
  return {
    nodes: { made: [...preview.made], kept: [...preview.kept] },
    ...{
      new_jobs: preview.newJobs,
      new_recipes: preview.newRecipes,
      superseded_jobs: preview.supersededJobs,
    },
    canceled_job_count: preview.canceledJobIds.length,
    canceled_job_ids: preview.canceledJobIds.slice(0, CANCELED_NAMED),
    warnings: [...issues.warnings],
  };
}

export async function reprocessRecipe(
  parts: ReprocessParts,
  recipeId: number,
  body: RecipeReprocessBody,
  asker: Asker,
): Promise<readonly Problem[]> {
  const { facts, forced, issues } = await accepted(parts, recipeId, body);
  const event = await tracedEvent(parts.ids, asker);
  const message: Reprocess = {
    type: 'reprocess',
    oldRecipeId: recipeId,
    recipeId: await freshId(parts.ids, 'recipe'),
    recipeTypeRevId: facts.nextRevId ?? 0,
    forced,
    eventId: event.id,
    event,
    batchId: null,
    batchMemberId: null,
    batchPriority: null,
    ...answerByKey(asker, { status: 202, warnings: issues.warnings }),
  };
  await afterRequestsForChain(parts.sql, facts.chainId);
  const answer = await parts.system.ask(recipeAddress(facts.chainId), message, {
    deadlineMs: ASK_DEADLINE_MS,
    isRepeatable: true, // a repeat is recognized by the id of the new recipe
  });
  refuseAnswer(answer);
  return issues.warnings;
}

/** The requested revision of a recipe's type, or the newest. Undefined if there is none, or no recipe. */
export async function nextRevision(
  { sql, revisions }: ReprocessParts,
  recipeId: number,
  revisionNum: number | undefined,
): Promise<RecipeTypeRevision | undefined> {
  const facts = await reprocessFacts(sql, recipeId, revisionNum ?? null);
  const revId = facts?.nextRevId ?? null;
  return revId === null ? undefined : (await revisions.recipeRevisions([revId])).get(revId);
}

/** The problems of the forced nodes in a body, which may have any form. */
export function reprocessDocumentProblems(raw: RawBody): readonly Problem[] {
  if (isAbsent(raw.forced_nodes) && isAbsent(raw.all)) return [];
  const issues = new IssueList();
  forcedOf(raw, issues);
  return issues.errors;
}

/** The forced nodes: in `forced_nodes`, or the body itself is the document. */
function forcedOf(body: RawBody | RecipeReprocessBody, issues: IssueList): ForcedNodes {
  const { forced_nodes: document, all, nodes, sub_recipes: subRecipes } = body as RawBody;
  if (isAbsent(document) && all === undefined) {
    const text = `'forced_nodes' is required: {"all": true} for all nodes, {"all": false} for those that differ`;
    issues.error('MISSING_FIELD', 'forced_nodes', text);
    return NOTHING_FORCED;
  }
  const isInside = !isAbsent(document);
  const outside = { all, nodes, sub_recipes: subRecipes };
  // Only fields of the document were copied above, so unknown fields can only be inside `sub_recipes`.
  if (isJsonObject(subRecipes) && ignoresUnknownFields(subRecipes)) ignoreUnknownFields(outside);
  const checked = validateForcedNodes(isInside ? document : outside);
  issues.include(isInside ? 'forced_nodes' : '', {
    errors: checked.ok ? [] : checked.errors,
    warnings: checked.warnings,
  });
  return checked.ok ? checked.value : NOTHING_FORCED;
}

async function check(
  revisions: RevisionCache,
  recipeId: number,
  facts: ReprocessFacts,
  forced: ForcedNodes,
  issues: IssueList,
): Promise<void> {
  if (facts.parentId !== null || facts.input === null) {
    const text = `the recipe ${recipeId} is inside another one: only that one can be reprocessed`;
    issues.error('SUB_RECIPE', '', text);
  }
  if (!facts.isTypeActive) {
    issues.error('DEPRECATED_RECIPE_TYPE', '', `the recipe type '${facts.typeName}' is deprecated`);
  }
  const { recipeTypeRevId, nextRevId, input } = facts;
  const known = await revisions.recipeRevisions([
    recipeTypeRevId,
    ...(nextRevId === null ? [] : [nextRevId]),
  ]);
  const [old, next] = [known.get(recipeTypeRevId), known.get(nextRevId ?? 0)];
  if (next === undefined) {
    const text = `the recipe type '${facts.typeName}' has no such revision`;
    issues.error('UNKNOWN_REFERENCE', 'revision_num', text);
    return;
  }
  const fits = checkForcedNodes(forced, next);
  issues.include('forced_nodes', { errors: fits.ok ? [] : fits.errors, warnings: fits.warnings });
  if (!issues.ok || old === undefined || input === null) return;
  const problem = reprocessProblem({ revision: old, input }, next, forced);
  if (problem !== undefined) issues.error(problem.name, problem.path, problem.description);
}

function superseded(text: string): AppError {
  return new AppError('STATE_CONFLICT', text);
}

function refuseAnswer(answer: ReprocessAnswer): void {
  if (!('problem' in answer)) return;
  if (answer.isConflict) throw superseded(answer.problem.description);
  const issues = new IssueList();
  issues.include('', { errors: [answer.problem] });
  refuseProblems(issues);
}
