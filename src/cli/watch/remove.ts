/**
 * `--remove`: deletes the records of the line and the markers in its directories. Products and the files of the watched
 * directory stay.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { RefusedError } from '../../client/errors.ts';
import type { WatchLine } from './line.ts';
import { LABEL, VERSION } from './records.ts';
import { MARKER_NAME } from './workspaces.ts';

/** Canceled jobs end within this time, unless their node is lost. */
const ENDED_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 200;

interface Marker {
  readonly path: string;
  /** Whether its workspace was deleted. Otherwise a service that continues to run writes the marker again. */
  readonly isFree: boolean;
}

export interface Removed {
  /** Notes for the person: records that stay, and why. */
  readonly notes: readonly string[];
  readonly markers: readonly Marker[];
}

/** Deletes the records once the strike is paused. A record that cannot be deleted stays, and a note names it. */
export async function removeRecords(client: Client, line: WatchLine, strikeId: number): Promise<Removed> {
  const notes: string[] = [];
  await endJobs(client, line);
  const attempt = async (
    what: string,
    call: () => Promise<unknown>,
    otherwise?: () => Promise<unknown>,
  ): Promise<boolean> => {
    try {
      await call();
      return true;
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status === 401) throw error;
      if (error.status === 404) return true;
      const reason = error.problems[0]?.description ?? error.detail;
      await otherwise?.();
      notes.push(`${what} stays${otherwise === undefined ? '' : ', deactivated'}: ${reason}`);
      return false;
    }
  };
  await attempt(`the strike ${line.name}`, () =>
    client.delete('/v6/strikes/{id}/', { path: { id: strikeId } }),
  );
  const recipeType = { path: { name: line.name } };
  await attempt(`the recipe type ${line.name}`, () => client.delete('/v6/recipe-types/{name}/', recipeType));
  const jobType = { path: { name: line.name, version: VERSION } };
  await attempt(`the job type ${line.name}`, () => client.delete('/v6/job-types/{name}/{version}/', jobType));
  const watched = await watchedWorkspaces(client);
  const markers: Marker[] = [];
  for await (const { id, name } of client.list('/v6/workspaces/', {
    query: { label: [`${LABEL}:${line.name}`] },
  })) {
    const path = { id };
    const { configuration } = await client.get('/v6/workspaces/{id}/', { path });
    const place = (configuration as { broker?: { host_path?: string } } | null)?.broker?.host_path;
    const isFree = await attempt(
      `the workspace ${name}`,
      () => client.delete('/v6/workspaces/{id}/', { path }),
      // Another line that watches the same directory continues.
      watched.has(name)
        ? undefined
        : () => client.patch('/v6/workspaces/{id}/', { path, body: { is_active: false } }),
    );
    if (place !== undefined) markers.push({ path: join(place, MARKER_NAME), isFree });
  }
  return { notes, markers };
}

/** Names of the workspaces that strikes watch now. */
async function watchedWorkspaces(client: Client): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { id, is_paused: isPaused } of client.list('/v6/strikes/')) {
    if (isPaused) continue;
    const { configuration } = await client.get('/v6/strikes/{id}/', { path: { id } });
    const { workspace } = (configuration ?? {}) as { readonly workspace?: unknown };
    if (typeof workspace === 'string') names.add(workspace);
  }
  return names;
}

/** Cancels the live jobs of the line: a type can be deleted only once its jobs have ended. */
async function endJobs(client: Client, { name }: WatchLine): Promise<void> {
  const query = { job_type_name: [name], status: ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING'] as const };
  const live = () => client.count('/v6/jobs/', { query: { ...query, status: [...query.status] } });
  if ((await live()) === 0) return;
  await client.post('/v6/jobs/cancel/', { body: { job_type_names: [name] } });
  for (let waitedMs = 0; waitedMs < ENDED_WITHIN_MS && (await live()) > 0; waitedMs += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
  }
}

/** Removes the markers that no service writes again: those of deleted workspaces, and all if the service has ended. */
export async function removeMarkers(markers: readonly Marker[], isStopped: boolean): Promise<void> {
  for (const { path, isFree } of markers) if (isFree || isStopped) await rm(path, { force: true });
}
