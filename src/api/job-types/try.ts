/** `/v6/job-types/try/`: runs one job of a manifest without creating a job type. */
import { NO_ACCOUNT } from '../../domain/idempotency.ts';
import { inputInterfaceOf } from '../../domain/manifest/manifest.ts';
import { IssueList, joinProblems } from '../../domain/validation.ts';
import { type Asker, defineRoute, reply } from '../../http/route.ts';
import { createTrial } from '../../store/job-type/trials.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import { checkInput } from '../jobs/input-data.ts';
import { JobDetails, jobPath } from '../jobs/schema.ts';
import { type QueuedRecord, type QueueParts, queueChecked } from '../jobs/service.ts';
import { refuseProblems, workDocumentProblems } from '../shared/requests.ts';
import { warningHeader } from '../shared/warnings.ts';
import { JobTypeTry, type JobTypeTryBody } from './schema.ts';
import { checkType, jobTypeDocumentProblems, refusalOf } from './service.ts';

interface TryParts extends QueueParts {
  readonly encryption: Encryption;
}

/**
 * Throws INVALID_DEFINITION or INVALID_CONFIGURATION with the problems of all documents, INVALID_REQUEST if only the
 * input is invalid, CONFLICT if the account has too many trials.
 */
async function tryJobType(parts: TryParts, body: JobTypeTryBody, asker: Asker): Promise<QueuedRecord> {
  const { sql, encryption, jobReads } = parts;
  const { container_image: containerImage, input } = body;
  const type = await checkType(sql, { manifest: body.manifest, configuration: body.configuration });
  if (!type.ok)
    throw refusalOf(joinProblems(type.errors, await workDocumentProblems(sql, { input }, 'texts')));
  const { manifest, configuration, secrets } = type.value;
  const issues = new IssueList();
  const given = await checkInput(sql, input, inputInterfaceOf(manifest), issues);
  refuseProblems(issues);
  const revision = await createTrial(sql, encryption, {
    accountId: asker.caller.accountId ?? NO_ACCOUNT,
    containerImage,
    manifest,
    configuration: { ...configuration },
    secrets,
    nowMs: asker.nowMs,
  });
  const warnings = joinProblems(type.warnings, issues.warnings);
  const workspaces = await jobReads.workspaces();
  return queueChecked(parts, { revision, configuration: null, ...given, workspaces, warnings }, asker);
}

const tryIt = defineRoute({
  method: 'POST',
  path: '/v6/job-types/try/',
  summary: 'Try a job type with one input',
  description: `Runs one job of the manifest, once, as a job type of it would. The answer is the job: its state, log
and products are read as those of any job. Neither the type nor the job nor its products are listed or counted, and an
hour later they are gone. An account may have 5 that have not ended, and 100 within the hour.`,
  repeats: 'keyed',
  hasManyParts: true,
  body: JobTypeTry,
  async documentProblems(raw, { sql }: TryParts) {
    const inputs = await workDocumentProblems(sql, { input: raw.input }, 'texts');
    return joinProblems(await jobTypeDocumentProblems(raw, { sql }), inputs);
  },
  replies: { 201: JobDetails },
  async handle({ body, request }, parts: TryParts) {
    const { record, warnings } = await tryJobType(parts, body, request);
    return reply(201, record, { location: jobPath(record.id), ...warningHeader(warnings) });
  },
});

export const tryRoutes = [tryIt];
