/**
 * Files whose content the service has already, from another line over the same directory or from an earlier script. The
 * strike ingests no content twice, so the line itself starts its recipe for them.
 */
import type { Client } from '../../client/client.ts';
import { countOf } from '../frame/count.ts';
import type { WatchLine } from './line.ts';
import { RECIPE_INPUT } from './records.ts';

/**
 * Starts the line's recipe for a file, unless the file has been an input of its job. A repeat for the same ingest
 * starts nothing. Resolves with the id of the recipe, or undefined. Throws as the client does.
 */
export async function runForKnownFile(
  client: Client,
  typeName: string,
  { fileId, ingestId }: { readonly fileId: number; readonly ingestId: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { jobs } = await client.get('/v6/files/{id}/lineage/', {
    path: { id: fileId },
    query: { depth: 1 },
    signal,
  });
  if (jobs.some(({ job_type: type }) => type.name === typeName)) return undefined;
  const { id } = await client.get('/v6/recipe-types/{name}/', { path: { name: typeName }, signal });
  const input = { files: { [RECIPE_INPUT]: [fileId] }, json: {} };
  const key = `watch-${typeName}-${ingestId}`;
  return (await client.post('/v6/recipes/', { body: { recipe_type_id: id, input }, key, signal })).id;
}

/** After a change of the script: requeues the failed jobs with it. Resolves with a sentence about the earlier files. */
export async function runFailedAgain(client: Client, { name }: WatchLine): Promise<string> {
  const count = (status: 'FAILED' | 'COMPLETED') =>
    client.count('/v6/jobs/', { query: { job_type_name: [name], status: [status], is_superseded: false } });
  const [failed, done] = await Promise.all([count('FAILED'), count('COMPLETED')]);
  if (failed > 0) {
    const body = { job_type_names: [name], status: 'FAILED' as const, revision: 'newest' as const };
    await client.post('/v6/jobs/requeue/', { body });
  }
  return [
    'the script has changed',
    ...(failed === 0 ? [] : [`it runs again for what failed (${countOf(failed, 'file')})`]),
    ...(done === 0
      ? []
      : [`what is done stays (${countOf(done, 'file')}): with another --into it runs for all of them`]),
  ].join('; ');
}

/** For an unchanged script: a sentence about files that failed earlier, which are not run again; undefined: none. */
export async function failedBefore(
  client: Client,
  { name }: WatchLine,
  typed: (command: string) => string,
): Promise<string | undefined> {
  const query = { job_type_name: [name], status: ['FAILED' as const], is_superseded: false };
  const failed = await client.count('/v6/jobs/', { query });
  if (failed === 0) return undefined;
  const again = typed(`job requeue --status FAILED --type ${name}`);
  const stays = failed === 1 ? 'is' : 'are';
  return `${countOf(failed, 'file')} failed earlier and ${stays} not run again; ${again} does that`;
}
