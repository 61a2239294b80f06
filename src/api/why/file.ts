/**
 * Explains why a file of a workspace is not stored or started no recipe: by the ingests of its path, and by what
 * strikes and scans would do with it.
 */
import {
  type Action,
  type Cause,
  type CauseName,
  cause,
  readRecipe,
  requeueOf,
  subject,
} from '../../domain/cause.ts';
import { type WorkspaceReach, workspaceCauses } from '../../domain/scheduling/waiting.ts';
import {
  type FinderRow,
  type FoundIngest,
  findersOf,
  findFinder,
  ingestsAt,
  storedAt,
} from '../../store/ingest/finders.ts';
import { workspaceReach } from '../../store/scheduler/waiting.ts';
import { namedWorkspaces } from '../../store/workspace/list.ts';
import { recordOf } from './cause.ts';
import { type NamesParts, type Tried, tryNames } from './names.ts';

/** Resolves with undefined if there is no such workspace. */
export async function whyOfFile(parts: NamesParts, workspaceName: string, path: string, nowMs: number) {
  const { sql } = parts;
  const workspace = (await namedWorkspaces(sql, [workspaceName])).get(workspaceName);
  if (workspace === undefined) return undefined;
  const [ingests, stored, finders, reach] = await Promise.all([
    ingestsAt(sql, workspace.id, path),
    storedAt(sql, workspace.id, path),
    findersOf(sql, workspace.id),
    workspaceReach(sql, [workspace.id]),
  ]);
  const unreached = workspace.isActive && workspace.isReached ? undefined : reach.get(workspace.id);
  const causes = [
    ...newestOfEach(ingests).flatMap(foundCauses),
    ...(ingests.length === 0 && stored.purgedMs !== null ? [purged(stored.purgedMs)] : []),
    ...(stored.file?.fileType === 'PRODUCT' ? [product(stored.file.id)] : []),
  ];
  const isKnown = ingests.length > 0 || stored.file !== null;
  const others = isKnown ? [] : await unseenCauses(parts, { finders, unreached, path, nowMs });
  return {
    ...{ workspace: workspaceName, path },
    file: stored.file === null ? null : { id: stored.file.id, file_type: stored.file.fileType },
    ingests: ingests.map(ingestRecord),
    causes: [...causes, ...others].map(recordOf),
  };
}

/** Undefined when there is no such strike or scan. */
export async function namesTest(
  parts: NamesParts,
  kind: FinderRow['kind'],
  id: number,
  names: readonly string[],
  nowMs: number,
) {
  const { sql } = parts;
  const finder = await findFinder(sql, kind, id);
  if (finder === undefined) return undefined;
  const results = await tryNames(parts, finder, names, nowMs);
  return {
    id,
    causes: idleCauses(finder).map(recordOf),
    results: results.map(({ record }) => record),
  };
}

/** The newest ingest of each strike and scan. */
function newestOfEach(ingests: readonly FoundIngest[]): readonly FoundIngest[] {
  const newest = new Map<string, FoundIngest>();
  for (const one of ingests) {
    const owner = `${one.strikeId}/${one.scanId}`;
    if (!newest.has(owner)) newest.set(owner, one);
  }
  return [...newest.values()];
}

function ingestRecord({ id, status, strikeId, scanId, fileId, recipeId }: FoundIngest) {
  const ref = (other: number | null) => (other === null ? null : { id: other });
  return {
    id,
    status,
    strike: ref(strikeId),
    scan: ref(scanId),
    source_file: ref(fileId),
    recipe: ref(recipeId),
  };
}

const NAMES: Readonly<Record<Exclude<FoundIngest['status'], 'INGESTED'>, CauseName>> = {
  TRANSFERRING: 'transferring',
  TRANSFERRED: 'ingest-waits',
  INGESTING: 'ingesting',
  DEFERRED: 'deferred',
  ERRORED: 'ingest-failed',
  DUPLICATE: 'duplicate',
};
const REASONS: Partial<Readonly<Record<FoundIngest['status'], string>>> = {
  TRANSFERRING: 'it is not complete: it still grows, or has its transfer suffix',
  TRANSFERRED: 'it waits for a node that ingests it',
  INGESTING: 'a node ingests it',
};
const HELP: Partial<Readonly<Record<FoundIngest['status'], string>>> = {
  TRANSFERRED: 'It is retried by itself once the cause that the reason names is fixed.',
  TRANSFERRING:
    'Its sender has to remove the suffix; a file without a suffix is complete after stable_ms without a change.',
  DEFERRED: 'Change the rules, or what the reason names: then deferred files are tried again.',
  DUPLICATE: 'There is nothing to do: the same content is stored, or was purged, and is processed only once.',
};

/** The causes from the path's newest ingest. If that started a recipe, the recipe's causes explain the rest. */
function foundCauses(ingest: FoundIngest): readonly Cause[] {
  const { id, status, reason, strikeId, scanId, finder, target, recipeId, size, sinceMs } = ingest;
  const owner = subject(strikeId === null ? 'scan' : 'strike', strikeId ?? scanId, finder);
  const subjects = [subject('ingest', id), owner];
  if (status === 'INGESTED') {
    if (recipeId !== null) {
      const started = `it is ingested, and started the recipe ${recipeId}`;
      return [
        cause('ingested', {
          reason: started,
          sinceMs,
          subjects: [...subjects, subject('recipe', recipeId)],
          help: 'The causes of that recipe say the rest.',
          action: readRecipe(recipeId),
        }),
      ];
    }
    return [
      cause('no-recipe', {
        reason: reason ?? 'it is ingested; no recipe is to be started for it',
        sinceMs,
        subjects,
      }),
    ];
  }
  if (status === 'TRANSFERRED') subjects.push(subject('workspace', target.id, target.name));
  const isGrowing = status === 'TRANSFERRING';
  const help = HELP[status];
  return [
    cause(NAMES[status], {
      reason: reason ?? REASONS[status] ?? status,
      sinceMs,
      amounts: isGrowing ? [{ name: 'bytes', wanted: size, there: size, node: null }] : [],
      subjects,
      ...(help === undefined ? {} : { help }),
      ...(status === 'ERRORED' ? afterFailure(ingest) : {}),
    }),
  ];
}

function afterFailure({ jobId }: FoundIngest): { readonly help: string; readonly action?: Action } {
  if (jobId === null) return { help: 'Deliver the file again.' };
  return { help: 'Fix what the reason says, then queue its job again.', action: requeueOf([jobId]) };
}

function purged(sinceMs: number): Cause {
  const reason = 'content of this place was purged: the same content is not ingested there again';
  return cause('purged', { reason, sinceMs, help: 'Deliver it under another name, if it is wanted again.' });
}

function product(id: number): Cause {
  const reason = 'it is a product: strikes and scans do not ingest products of jobs';
  return cause('product', { reason, subjects: [subject('file', id)] });
}

interface Unseen {
  readonly finders: readonly FinderRow[];
  /** Set when the workspace is not active or no node reaches it. */
  readonly unreached: WorkspaceReach | undefined;
  readonly path: string;
  readonly nowMs: number;
}

/** The causes for a path without ingests: which strikes and scans would find a file there, and what they would do. */
async function unseenCauses(parts: NamesParts, unseen: Unseen): Promise<readonly Cause[]> {
  const { finders, unreached, path, nowMs } = unseen;
  if (finders.length === 0) {
    const help = 'Create a strike that watches the workspace, or scan it.';
    return [
      cause('nothing-looks', { reason: 'no strike watches the workspace, and no scan lists it', help }),
    ];
  }
  const tried = await Promise.all(finders.map((finder) => tryNames(parts, finder, [path], nowMs)));
  const idle = unreached === undefined ? [] : workspaceCauses(unreached, null);
  return [...idle, ...finders.flatMap((finder, at) => unseenBy(finder, tried[at]?.[0], idle.length > 0))];
}

function unseenBy(finder: FinderRow, tried: Tried | undefined, isIdle: boolean): readonly Cause[] {
  const causes = [...(isIdle ? [] : idleCauses(finder)), ...(tried?.causes ?? [])];
  if (causes.length > 0 || isIdle) return causes;
  const subjects = [subject(finder.kind, finder.id, finder.name)];
  if (finder.kind === 'scan') {
    const action: Action = {
      ...{ title: 'Start the scan', method: 'POST' },
      path: `/v6/scans/${finder.id}/process/`,
      body: { ingest: true },
    };
    return [
      cause('not-scanned', {
        reason: 'the scan would take it, but has not listed it yet',
        subjects,
        help: 'Start the scan.',
        action,
      }),
    ];
  }
  const reason = 'the strike watches and would take it, but no such file was seen there yet';
  return [
    cause('not-seen', {
      reason,
      subjects,
      help: 'See whether the file is there; a listing finds it within 30 s.',
    }),
  ];
}

/** The causes for which the strike or scan finds no files at present. */
function idleCauses({ kind, id, name, isPaused, reason }: FinderRow): readonly Cause[] {
  const subjects = [subject(kind, id, name)];
  if (isPaused) {
    const action: Action = {
      ...{ title: 'Resume the strike', method: 'PATCH' },
      path: `/v6/strikes/${id}/`,
      body: { is_paused: false },
    };
    const reason = `the strike ${name} is paused`;
    return [cause('strike-paused', { reason, subjects, help: 'Resume the strike.', action })];
  }
  if (reason === null) return [];
  return [cause(`${kind}-waits`, { reason, subjects })];
}
