/** What a strike or scan would do with files of given names, and why it takes none: `strike test`, `why strike`. */
import type { Client } from '../../client/client.ts';
import type { components } from '../../client/operations.ts';
import type { Context } from '../frame/context.ts';
import { findId } from '../frame/references.ts';
import { showCauses } from './causes.ts';

type Kind = 'strike' | 'scan';

export async function testNames(
  context: Context,
  kind: Kind,
  name: string,
  fileNames: readonly string[],
): Promise<void> {
  const client = await context.client();
  const path = { id: await findId(client, kind, name) };
  const { signal } = context;
  const body = { names: [...fileNames] };
  const tested =
    kind === 'strike'
      ? await client.post('/v6/strikes/{id}/test/', { path, body, signal })
      : await client.post('/v6/scans/{id}/test/', { path, body, signal });
  if (context.isStructured) return context.document(tested);
  if (context.options.output !== 'name')
    showCauses(context, await headOf(context, client, kind, path.id), tested.causes);
  const { results } = tested;
  if (fileNames.length === 0) return;
  if (context.options.output === 'name') for (const result of results) context.print(result.name);
  // Not a table, which would cut the reasons.
  else for (const result of results) context.printWrapped(`  ${result.name}  ${outcomeOf(result)}`);
}

async function headOf({ signal }: Context, client: Client, kind: Kind, id: number): Promise<string> {
  if (kind === 'scan') {
    const { name, job, dry_run_job: dryRun } = await client.get('/v6/scans/{id}/', { path: { id }, signal });
    return `scan ${name}: ingest ${job.status}, dry run ${dryRun.status}`;
  }
  const strike = await client.get('/v6/strikes/{id}/', { path: { id }, signal });
  const state = strike.is_paused ? 'is paused' : 'watches';
  return `strike ${strike.name} ${state}${strike.reason === null ? '' : `: ${strike.reason}`}`;
}

/** What the strike or scan would do with a file of this name. */
function outcomeOf(result: components['schemas']['TriedName']): string {
  const { is_taken: isTaken, rule, workspace, path, recipe, causes } = result;
  const reasons = causes.map(({ reason }) => reason).join('; ');
  if (!isTaken) return `not taken: ${reasons}`;
  // A scan need not have a recipe, which is no problem to tell.
  const why = reasons === '' ? '' : `: ${reasons}`;
  const start = recipe === null ? `starts nothing${why}` : `starts ${recipe.name}`;
  return `taken by files_to_ingest[${rule?.index ?? '-'}], to ${workspace}:${path}, ${start}`;
}
