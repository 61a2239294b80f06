/** Job types: the service behind their routes. It notifies the scheduler of changes that concern it. */
import { SCHEDULER } from '../../actors/scheduler/scheduler.messages.ts';
import { isAbsent } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';
import { type JobConfiguration, splitSecrets } from '../../domain/job/job-config.ts';
import {
  validateConfigurationForm,
  validateJobTypeConfiguration,
} from '../../domain/job/job-config-check.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { validateManifest } from '../../domain/manifest/manifest-check.ts';
import { type Checked, IssueList, type Problem, problemSentence } from '../../domain/validation.ts';
import type { Asker, RawBody } from '../../http/route.ts';
import type { System } from '../../kernel/mod.ts';
import { AssertionError } from '../../lib/assert.ts';
import type { AlsoSave } from '../../store/catalog/creating.ts';
import { deprecateRecipeTypes } from '../../store/catalog/deprecation.ts';
import {
  findJobTypeRow,
  type JobTypeRow,
  recipeTypesWithJobType,
  type WorkspaceCatalog,
  workspaceCatalog,
} from '../../store/catalog/facts.ts';
import { findJobType } from '../../store/job-type/list.ts';
import {
  createJobType,
  editJobType,
  holdOutputs,
  type JobTypeEdit,
  openSecrets,
  type Secrets,
} from '../../store/job-type/save.ts';
import { CATALOG_LOCK, takeLock } from '../../store/locks.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { savesAnswer } from '../shared/idempotency.ts';
import { requestTypeUpdate, wakeTypeUpdates } from '../type-updates/updates.ts';
import { type JobTypeCreateBody, type JobTypeEditBody, jobTypePath } from './schema.ts';

export interface JobTypeParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  readonly system: Pick<System, 'tell'>;
}

const MAX_TRIES_DEFAULT = 3;
/** The fields that may not be sent for a system job type: all but `is_paused`. */
const SYSTEM_FIELDS = [
  ...(['manifest', 'container_image', 'configuration', 'icon_code', 'max_scheduled', 'max_tries'] as const),
  ...(['is_active', 'is_published'] as const),
];

/** The job type that was written. */
interface Written {
  readonly name: string;
  readonly version: string;
  readonly warnings: readonly Problem[];
}

/** A manifest and its configuration, validated together. Secret settings are in `secrets` only. */
export interface CheckedType {
  readonly manifest: Manifest;
  readonly configuration: JobConfiguration;
  readonly secrets: Secrets;
}

export async function checkType(
  sql: Sql,
  given: { readonly manifest: unknown; readonly configuration: unknown },
  keptSecrets: ReadonlySet<string> = new Set(),
): Promise<Checked<CheckedType>> {
  const issues = new IssueList();
  const manifest = validateManifest(given.manifest);
  issues.include('manifest', problemsOf(manifest));
  const { facts } = await workspaceCatalog(sql);
  if (!manifest.ok) {
    issues.include('configuration', { errors: formProblems(given.configuration, facts) });
    return issues.finish(notReached);
  }
  const configuration = validateJobTypeConfiguration(given.configuration, manifest.value, facts, keptSecrets);
  issues.include('configuration', problemsOf(configuration));
  if (!configuration.ok) return issues.finish(notReached);
  const { settings, secrets } = splitSecrets(manifest.value, configuration.value.settings);
  const value = { manifest: manifest.value, configuration: { ...configuration.value, settings }, secrets };
  return issues.finish(() => value);
}

function problemsOf(checked: Checked<unknown>): {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
} {
  return { errors: checked.ok ? [] : checked.errors, warnings: checked.warnings };
}

function notReached(): never {
  throw new AssertionError('a document with problems has no value');
}

/**
 * The value, or AppError with every problem: INVALID_DEFINITION for manifests, else INVALID_CONFIGURATION.
 */
function accepted(checked: Checked<CheckedType>): CheckedType {
  if (checked.ok) return checked.value;
  throw refusalOf(checked.errors);
}

/** INVALID_DEFINITION for manifests, else INVALID_CONFIGURATION, with every problem. */
export function refusalOf(errors: readonly Problem[]): AppError {
  const [first] = errors;
  const code = first?.path.startsWith('manifest') ? 'INVALID_DEFINITION' : 'INVALID_CONFIGURATION';
  return new AppError(code, problemSentence(errors), { errors });
}

/** The problems of a configuration that do not depend on a manifest. */
function formProblems(document: unknown, facts: WorkspaceCatalog['facts']): readonly Problem[] {
  const checked = validateConfigurationForm(document, facts, 'texts');
  return checked.ok ? [] : checked.errors;
}

/** The problems of the documents in a body, which may have any form. */
export async function jobTypeDocumentProblems(
  { manifest, configuration }: RawBody,
  { sql }: Pick<JobTypeParts, 'sql'>,
): Promise<readonly Problem[]> {
  const issues = new IssueList();
  const { facts } = await workspaceCatalog(sql);
  if (!isAbsent(manifest))
    issues.include('manifest', { errors: problemsOf(validateManifest(manifest)).errors });
  issues.include('configuration', { errors: formProblems(configuration, facts) });
  return issues.errors;
}

export async function checkJobType(
  sql: Sql,
  raw: RawBody,
): Promise<{ errors: readonly Problem[]; warnings: readonly Problem[] }> {
  const { manifest, configuration } = raw;
  // A missing manifest is a problem of the form, which has been reported.
  if (isAbsent(manifest)) return { errors: await jobTypeDocumentProblems(raw, { sql }), warnings: [] };
  return problemsOf(await checkType(sql, { manifest, configuration }));
}

/** Creates a job type, or edits the one with its name and version. Throws INVALID_DEFINITION, INVALID_CONFIGURATION. */
export async function addJobType(
  parts: JobTypeParts,
  body: JobTypeCreateBody,
  asker: Asker,
): Promise<Written> {
  const { sql, encryption, system } = parts;
  const { nowMs } = asker;
  const also = savesAnswer(asker, async (tx, { name, version, warnings }: Written) => {
    const record = await findJobType(tx, name, version);
    return { status: 201, location: jobTypePath(name, version), warnings, record };
  });
  const name = identityOf(body.manifest);
  if (name !== undefined && (await findJobTypeRow(sql, name.name, name.version)) !== undefined) {
    return changeJobType(parts, name, body, nowMs, also);
  }
  const checked = await checkType(sql, { manifest: body.manifest, configuration: body.configuration });
  const { manifest, configuration, secrets } = accepted(checked);
  const { name: typeName, jobVersion: version } = manifest.job;
  const row = {
    containerImage: body.container_image,
    manifest,
    configuration: { ...configuration },
    secrets,
    iconCode: body.icon_code ?? null,
    isPublished: body.is_published ?? false,
    maxScheduled: body.max_scheduled ?? null,
    maxTries: body.max_tries ?? MAX_TRIES_DEFAULT,
    labels: body.labels ?? {},
    nowMs,
  };
  const written = { name: typeName, version, warnings: checked.warnings };
  const isMade = await sql.transaction(async (tx) => {
    const made = await createJobType(tx, encryption, row);
    if (made !== undefined) await also?.(tx, written);
    return made !== undefined;
  });
  // Another request has created it meanwhile, so this one edits it.
  if (!isMade) return changeJobType(parts, { name: typeName, version }, body, nowMs, also);
  wakeScheduler(system);
  return written;
}

/** Name and version from a manifest that is not yet checked. */
function identityOf(manifest: Readonly<Record<string, unknown>>): Identity | undefined {
  const job = manifest.job as { name?: unknown; jobVersion?: unknown } | null | undefined;
  const [name, version] = [job?.name, job?.jobVersion];
  return typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined;
}

interface Identity {
  readonly name: string;
  readonly version: string;
}

/** Throws NOT_FOUND, or as `addJobType`. */
export function changeJobType(
  parts: JobTypeParts,
  identity: Identity,
  body: JobTypeEditBody,
  nowMs: number,
  also?: AlsoSave<Written>,
): Promise<Written> {
  const { sql, encryption, system } = parts;
  return sql
    .transaction(async (tx) => {
      await takeLock(tx, CATALOG_LOCK);
      const row = await findJobTypeRow(tx, identity.name, identity.version);
      if (row === undefined)
        throw new AppError('NOT_FOUND', `there is no job type ${identity.name} ${identity.version}`);
      if (row.isSystem) refuseSystemFields(body);
      await refuseOtherIdentity(tx, identity, body);
      if (body.is_active === true && body.configuration === undefined)
        await holdOutputs(tx, row.configuration);
      const warnings: Problem[] = [];
      const documents = await editedDocuments(parts, tx, row, body, warnings);
      const written = await editJobType(tx, encryption, identity, { ...fieldsOf(body), ...documents, nowMs });
      const above = await recipeTypesWithJobType(tx, row.id);
      if (written.revisionNum > row.revisionNum && body.auto_update !== false) {
        const revision = { kind: 'job', typeId: row.id, revisionNum: written.revisionNum } as const;
        warnings.push(...(await requestTypeUpdate(tx, revision, above, nowMs)));
      }
      if (body.is_active === false) {
        warnings.push(...deprecated(await deprecateRecipeTypes(tx, above, true, nowMs)));
      }
      const done = { ...identity, warnings };
      await also?.(tx, done);
      return done;
    })
    .then((written) => {
      wakeScheduler(system);
      wakeTypeUpdates(system);
      return written;
    });
}

/** Manifest and configuration after the edit. Both are checked if either changes, because they must fit each other. */
async function editedDocuments(
  { encryption }: JobTypeParts,
  tx: Sql,
  row: JobTypeRow,
  body: JobTypeEditBody,
  warnings: Problem[],
): Promise<Pick<JobTypeEdit, 'manifest' | 'configuration' | 'secrets'>> {
  if (body.manifest === undefined && body.configuration === undefined) return {};
  const kept = new Set(Object.keys(openSecrets(encryption, row.id, row.secrets)));
  const given = {
    manifest: body.manifest ?? row.manifest,
    configuration: body.configuration ?? row.configuration,
  };
  const checked = await checkType(tx, given, kept);
  const { manifest, configuration, secrets } = accepted(checked);
  warnings.push(...checked.warnings);
  return {
    ...(body.manifest === undefined ? {} : { manifest }),
    configuration: { ...productPathOf(row.configuration), ...configuration },
    secrets,
  };
}

/** An edit without paths of products keeps the stored ones, because clients under `/api/` do not know them. */
function productPathOf(stored: JobTypeRow['configuration']): Readonly<Record<string, unknown>> {
  const { product_path: kept } = stored as { readonly product_path?: unknown };
  return kept === undefined ? {} : { product_path: kept };
}

function fieldsOf(body: JobTypeEditBody): Omit<JobTypeEdit, 'nowMs'> {
  return {
    ...(body.container_image === undefined ? {} : { containerImage: body.container_image }),
    ...(body.icon_code === undefined ? {} : { iconCode: body.icon_code }),
    ...(body.is_published === undefined ? {} : { isPublished: body.is_published }),
    ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
    ...(body.is_paused === undefined ? {} : { isPaused: body.is_paused }),
    ...(body.max_scheduled === undefined ? {} : { maxScheduled: body.max_scheduled }),
    ...(body.max_tries === undefined ? {} : { maxTries: body.max_tries }),
    ...(body.labels === undefined ? {} : { labels: body.labels }),
  };
}

const SYSTEM_PROBLEM = 'of a system job type, only is_paused can be changed';

function refuseSystemFields(body: JobTypeEditBody): void {
  const errors = SYSTEM_FIELDS.filter((field) => body[field] !== undefined).map((path) => {
    return { name: 'SYSTEM_JOB_TYPE', description: SYSTEM_PROBLEM, path };
  });
  if (errors.length > 0) {
    throw new AppError('INVALID_REQUEST', SYSTEM_PROBLEM, { errors });
  }
}

async function refuseOtherIdentity(sql: Sql, identity: Identity, body: JobTypeEditBody): Promise<void> {
  if (body.manifest === undefined) return;
  const claimed = identityOf(body.manifest);
  const errors: Problem[] = [];
  const check = (path: string, found: string | undefined, wanted: string) => {
    if (found === undefined || found === wanted) return;
    errors.push({ name: 'OTHER_JOB_TYPE', description: `must be '${wanted}', as in the path`, path });
  };
  check('manifest.job.name', claimed?.name, identity.name);
  check('manifest.job.jobVersion', claimed?.version, identity.version);
  if (errors.length === 0) return;
  const others = await jobTypeDocumentProblems({ ...body }, { sql });
  throw new AppError('INVALID_DEFINITION', 'the manifest is of another job type than the path', {
    errors: [...errors, ...others.filter(({ path }) => errors.every((one) => one.path !== path))],
  });
}

/** A warning with the names of the types that were deprecated as well. */
export function deprecated(names: readonly string[]): readonly Problem[] {
  if (names.length === 0) return [];
  const description = `recipe types that contain it are deprecated too: ${names.join(', ')}`;
  return [{ name: 'DEPRECATED_RECIPES', description, path: 'is_active' }];
}

/** A wake-up; poll: the scheduler reads limits again with every resynchronisation. */
function wakeScheduler(system: Pick<System, 'tell'>): void {
  system.tell(SCHEDULER, { type: 'typesChanged' });
}
