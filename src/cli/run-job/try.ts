/** `type try`: one job of a manifest without creating a job type. */
import { readFile } from 'node:fs/promises';
import type { Client } from '../../client/client.ts';
import type { BodyOf } from '../../client/operations.ts';
import { readYaml } from '../apply/read-yaml.ts';
import { Findings, findingLine, plainValue } from '../apply/source.ts';
import { showLogs } from '../commands/job-logs.ts';
import { type Job, jobThat } from '../commands/job-waiting.ts';
import { ENDED } from '../commands/jobs.ts';
import type { Context } from '../frame/context.ts';
import { FailedError, UsageError } from '../frame/exit-codes.ts';
import { fileProblem } from '../frame/file-problem.ts';
import { describeRun, type InputType, inputOf } from './inputs.ts';

interface Options {
  readonly image?: string;
  readonly into?: string;
  readonly set?: readonly string[];
  readonly uploadTo?: string;
}

const OUTPUTS = 'configuration.output_workspaces';

type Tried = BodyOf<'post', '/v6/job-types/try/'>;

export async function tryType(
  context: Context,
  options: Options,
  path: string,
  files: readonly string[],
): Promise<void> {
  const type = typeOf(path, await documentOf(path), options);
  const client = await context.client();
  const { signal } = context;
  const typed = { files, values: options.set ?? [], uploadTo: options.uploadTo };
  const checked = await client.post('/v6/job-types/validation/', { body: type, signal });
  const isValid = checked.is_valid;
  if (options.into === undefined && checked.errors.some(({ path: at }) => at.startsWith(OUTPUTS)))
    context.note('--into names the workspace for the products');
  if (isValid && context.options.dryRun)
    return describeRun(context, client, inputTypeOf(type.manifest), typed, `tries ${path} once`);
  // If the manifest is invalid, the call is made without inputs: the service refuses it and lists all problems.
  const input = isValid
    ? await inputOf(context, client, inputTypeOf(type.manifest), typed)
    : { files: {}, json: {} };
  const { id } = await client.post('/v6/job-types/try/', { body: { ...type, input }, signal });
  context.note(`job ${id} tries ${path}; it is gone in an hour`);
  const hasBegun = ({ execution, status }: Job) => execution !== null || ENDED.has(status);
  const { execution } = await jobThat(context, client, id, hasBegun);
  const { stderr } = context.terminal;
  // Standard output is for the result.
  if (execution !== null && !context.options.quiet)
    await showLogs(context, client, execution.id, true, { stdout: stderr, stderr });
  const job = await jobThat(context, client, id, ({ status }) => ENDED.has(status));
  await showResult(context, client, job);
  if (job.status !== 'COMPLETED') throw new FailedError(`job ${id} is ${job.status}`);
}

/** Throws a UsageError if the file holds no document. */
async function documentOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${fileProblem(error, path)}`);
  });
  const findings = new Findings();
  const documents = readYaml(path, bytes, findings);
  if (!findings.ok) throw new UsageError(...findings.toArray().map(findingLine));
  const [document] = documents.map(plainValue);
  if (documents.length !== 1 || typeof document !== 'object' || document === null || Array.isArray(document))
    throw new UsageError(`${path}: expected one manifest, or one job type with its manifest`);
  return document as Readonly<Record<string, unknown>>;
}

function typeOf(
  path: string,
  document: Readonly<Record<string, unknown>>,
  { image, into }: Options,
): Omit<Tried, 'input'> {
  const isType = Object.hasOwn(document, 'manifest');
  const { container_image: own, manifest, configuration } = isType ? document : { manifest: document };
  const containerImage = image ?? own;
  if (containerImage === undefined)
    throw new UsageError(`${path} names no image: give one with --image, such as process:default`);
  const products = into === undefined ? undefined : { output_workspaces: { default: into } };
  const configured =
    products === undefined ? configuration : { ...(configuration as object | undefined), ...products };
  // The service checks the values.
  return {
    container_image: containerImage as string,
    manifest: manifest as Tried['manifest'],
    ...(configured === undefined ? {} : { configuration: configured as NonNullable<Tried['configuration']> }),
  };
}

function inputTypeOf(manifest: Tried['manifest']): InputType {
  const valid = manifest as InputType['manifest'];
  return { name: valid.job.name, manifest: valid };
}

interface Product {
  readonly output: string;
  readonly id: number;
  readonly path: string;
  readonly bytes: number;
}

async function showResult(context: Context, client: Client, job: Job): Promise<void> {
  const products = await productsOf(context, client, job);
  if (context.isStructured) return context.document({ ...job, products });
  if (context.options.output === 'name') return context.print(String(job.id));
  const { json } = job.output as { readonly json?: object };
  context.fields([
    ['job', job.id],
    ['status', job.status],
    ['exit code', exitCodeOf(job)],
    ['reason', job.reason],
    ['output', json],
    ...products.map(({ output, id, path, bytes }) => [output, `${path}, ${bytes} bytes, id:${id}`] as const),
  ]);
}

async function productsOf({ signal }: Context, client: Client, { output }: Job): Promise<Product[]> {
  const { files = {} } = output as { readonly files?: Readonly<Record<string, readonly number[]>> };
  const products: Product[] = [];
  for (const [name, ids] of Object.entries(files)) {
    for (const id of ids) {
      const file = await client.get('/v6/files/{id}/', { path: { id }, signal });
      const path = `${file.workspace.name}:${file.file_path}`;
      products.push({ output: name, id, path, bytes: file.file_size });
    }
  }
  return products;
}

interface TaskResults {
  readonly tasks?: readonly { readonly type?: string; readonly exit_code?: number | null }[];
}

/** The exit code of the main task; null if it has not run to its end. */
function exitCodeOf({ execution }: Job): number | null {
  const tasks = (execution?.task_results as TaskResults | null | undefined)?.tasks ?? [];
  return tasks.find(({ type }) => type === 'main')?.exit_code ?? null;
}
