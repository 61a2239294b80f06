/** Names that were replaced, exactly as they were spelt: what they are called now. */
import { lineOf, type Source } from './source.ts';

/** Identifiers that are gone, and what stands in their place. */
export const REPLACED_NAMES: ReadonlyMap<string, string> = new Map([
  ['Gate', 'AuthFilter, Readiness or p-limit'],
  ['GatedRoute', 'FilteredRoute'],
  ['Cell', 'Activation'],
  ['fencedShards', 'Fenced, by instanceof'],
  ['Hold', 'ShardLease'],
  ['loadedCells', 'loadedActivations'],
  ['lastingReason', 'TurnRefused.isLasting'],
  ['refusedTurns', 'TurnRefused, by instanceof'],
  ['ToldChange', 'RenderedChange'],
  ['toldChanges', 'renderedChanges'],
  ['tellNew', 'tell'],
  ['Wishes', 'JobRequests'],
  ['wish', 'request'],
  ['wishes', 'requests'],
  ['tryAnew', 'retry'],
  ['sweepMs', 'reconcileMs'],
  ['seal', 'encrypt'],
  ['JobDraft', 'PendingJob'],
  ['JobDrafts', 'PendingJobs'],
  ['RecipeDraft', 'PendingRecipe'],
  ['RecipeDrafts', 'PendingRecipes'],
  ['ScanDraft', 'PendingScan'],
  ['StrikeDraft', 'PendingStrike'],
  ['SealedPlace', 'EncryptedPlace'],
  ['Standing', 'NodeState'],
  ['StepGate', 'BeforeStep'],
  ['Weather', 'FaultRates'],
  ['withoutSweep', 'withoutReconcile'],
  ['insteadOf', 'fallbackFor'],
  ['insteadOfReports', 'fallbackForReports'],
  ['JobPlan', 'JobTypeRevision'],
  ['RecipePlan', 'RecipeTypeRevision'],
  ['PlanStore', 'RevisionCache'],
  ['isSpoken', 'isFromAgent'],
  ['distrust', 'invalidate'],
  ['EventTide', 'EventWatermark'],
  ['factsUnread', 'onFactsFailed'],
  ['rulesUnasked', 'onMatchRulesFailed'],
  ['jobsUnread', 'onIngestsOfJobsFailed'],
  ['pageUnmatched', 'onPageRulesFailed'],
  ['tryDeferredAnew', 'retryDeferred'],
  ['sealFolder', 'makeFolderReadOnly'],
  ['sealOf', 'encryptionOf'],
  ['sealWith', 'encryptionWith'],
  ['Opened', 'Disposables'],
  ['Soon', 'MaybePromise'],
  ['Sweep', 'Reconciliation'],
  ['Sweeper', 'Reconciler'],
  ['sentTogether', 'pipelined'],
  ['Unsettled', 'UncertainCommits'],
  ['Told', 'the noun for what it holds: SpawnMessage, SentMessage, ListedChange'],
  ['told_', 'reported'],
  ['untold', 'count, missing or undelivered'],
  ['toldAtMs', 'sentAtMs'],
  ['toldSize', 'sentSize'],
  ['ToldFile', 'ConfiguredFile'],
  ['ToldTask', 'ConfiguredTask'],
  ['ofFiles', 'filesSentence'],
  ['ToldParts', 'MetricParts'],
  ['ToldExecution', 'ExecutionConfiguration'],
  ['toldExecution', 'executionConfiguration'],
  ['NOTHING_TOLD', 'NO_CONFIGURATION'],
  ['isToldOfRevisions', 'namesRevisions'],
  ['hungryClasses', 'classesToRead'],
  ['launchesTogether', 'countLaunches'],
  ['diffPlans', 'diffRevisions'],
  ['planOf', 'revisionOf, jobTypeRevisionOf or queryPlanOf'],
  ['planRead', 'recipeRevisionRead'],
  ['recipePlan', 'recipeRevision'],
  ['recipePlanFailed', 'recipeRevisionFailed'],
  ['usablePlan', 'usableRevision'],
  ['planProblem', 'revisionProblem'],
  ['makePlan', 'makeRecipeRevision'],
  ['makeJobPlan', 'makeJobRevision'],
  ['PlanNode', 'PassNode or QueryPlanNode'],
  ['planPass', 'placeJobs'],
  ['noteUnread', 'noteReadFailed'],
  ['QueuedJobUp', 'EnqueuedJob'],
  ['QueuedUp', 'QueueEntryParts'],
  ['JobSurroundings', 'JobContext'],
  ['RecipeSurroundings', 'RecipeContext'],
  ['JobsMeant', 'JobSelection'],
  ['triesMore', 'addedTries'],
]);

/** Names of files (without `.ts` and `.test.ts`) that are gone, and what stands in their place. */
export const REPLACED_FILES: ReadonlyMap<string, string> = new Map([
  ['event-tide', 'event-watermark'],
  ['ingest-wishes', 'ingest-jobs'],
  ['job-wishes', 'jobs'],
  ['own-products', 'task-products'],
  ['put-off', 'defer-until-reload'],
  ['resealing', 're-encryption'],
  ['sealing', 'encryption'],
  ['sweep', 'leftovers'],
  ['standing', 'node-state'],
  ['weather', 'fault-schedule'],
  ['keyed-wishes', 'keyed-requests'],
  ['recipe-wishes', 'recipe-requests'],
  ['scan-wishes', 'scan-requests'],
  ['job-request-wishes', 'job-requests'],
  ['sent-together', 'pipelined'],
  ['standing-work', 'periodic-reconcile'],
  ['recipe-plans', 'type-revisions'],
  ['together', 'data-loader'],
  ['told', 'listed-changes'],
  ['told-change', 'rendered-change'],
  ['unsettled', 'uncertain-commits'],
  ['ruled', 'apply-rules'],
  ['schema-lock', 'locks'],
]);

const NAMES = new RegExp(`\\b(${[...REPLACED_NAMES.keys()].join('|')})\\b`, 'g');

export interface WordFinding {
  readonly line: number;
  readonly message: string;
}

export function checkWords({ path, code }: Source): WordFinding[] {
  const names = [...code.matchAll(NAMES)].map((match) => ({
    line: lineOf(code, match.index),
    message: `${match[0]} is called ${REPLACED_NAMES.get(match[0])} now`,
  }));
  const name =
    path
      .split('/')
      .at(-1)
      ?.replace(/(\.test)?\.ts$/, '') ?? '';
  const instead = REPLACED_FILES.get(name);
  const files = instead === undefined ? [] : [{ line: 1, message: `'${name}' is called '${instead}' now` }];
  return [...names, ...files];
}
