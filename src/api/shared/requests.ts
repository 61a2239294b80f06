/** Shared by requests that start work: their event, new ids, and refusals. */
import { validateData } from '../../domain/data/data.ts';
import { isAbsent } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { SettingValues } from '../../domain/job/job-config.ts';
import { validateConfigurationForm } from '../../domain/job/job-config-check.ts';
import { foreignSpan } from '../../domain/trace.ts';
import { type Checked, IssueList, type Problem, problemSentence } from '../../domain/validation.ts';
import type { Asker, RawBody } from '../../http/route.ts';
import type { AskOptions, IdPort } from '../../kernel/mod.ts';
import { assert } from '../../lib/assert.ts';
import { workspaceCatalog } from '../../store/catalog/facts.ts';
import type { Sql } from '../../store/sql/sql.ts';

/** limit: how long a caller waits for the owner's commit. */
export const ASK_DEADLINE_MS = 10_000;

/** Options of an ask that creates its actor. It may be repeated, because the actor is created only once. */
export const FIRST_ASK: AskOptions = { deadlineMs: ASK_DEADLINE_MS, isNew: true, isRepeatable: true };

export async function freshId(ids: IdPort, kind: string): Promise<number> {
  const [id] = await ids.reserve(kind, 1);
  assert(id !== undefined, `no id of kind ${kind}`);
  return id;
}

/** The event of work that a user requested. */
export async function userEvent(ids: IdPort, { caller, nowMs }: Asker): Promise<NewEvent> {
  return {
    id: await freshId(ids, 'event'),
    type: 'USER',
    occurredMs: nowMs,
    description: { user: caller.username },
  };
}

/** The event for one recipe or job. Its trace continues the caller's trace, if the request has a `traceparent`. */
export async function tracedEvent(ids: IdPort, asker: Asker): Promise<NewEvent> {
  const traceParent = asker.headers.get('traceparent');
  const event = await userEvent(ids, asker);
  return foreignSpan(traceParent) === undefined ? event : { ...event, traceParent };
}

/**
 * The problems of the documents in a request for a job or recipe, except those that depend on its type. `settings`:
 * which values the settings of its configuration may have.
 */
export async function workDocumentProblems(
  sql: Sql,
  { input, configuration }: RawBody,
  settings: SettingValues,
): Promise<readonly Problem[]> {
  const issues = new IssueList();
  const { facts } = await workspaceCatalog(sql);
  const checks: readonly [string, unknown, (document: unknown) => Checked<unknown>][] = [
    ['input', input, validateData],
    ['configuration', configuration, (document) => validateConfigurationForm(document, facts, settings)],
  ];
  for (const [path, document, check] of checks) {
    const checked = isAbsent(document) ? undefined : check(document);
    if (checked?.ok === false) issues.include(path, { errors: checked.errors });
  }
  return issues.errors;
}

/** Throws INVALID_REQUEST with every problem, if there are any. */
export function refuseProblems(issues: IssueList): void {
  if (issues.ok) return;
  const { errors } = issues;
  throw new AppError('INVALID_REQUEST', problemSentence(errors), { errors });
}

/** The 400 for an id in a body for which there is no usable record. `others`: the other problems of the body. */
export function unknownReference(
  path: string,
  description: string,
  others: readonly Problem[] = [],
): AppError {
  const errors = [{ name: 'UNKNOWN_REFERENCE', description, path }, ...others];
  return new AppError('UNKNOWN_REFERENCE', `${path}: ${description}`, { errors });
}
