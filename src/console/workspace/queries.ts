/** What the page of a workspace reads, and the choices of one. */
import { queryOptions } from '@tanstack/react-query';
import type { components } from '../../client/operations.ts';
import type { ChoiceSource } from '../choices/object-choice.tsx';
import { namedChoices } from '../choices/sources.ts';
import { client } from '../client.ts';
import { MINUTES_MS, shows } from '../live/shown.ts';

export type Workspace = components['schemas']['Workspace'];
export type WorkspaceDetails = components['schemas']['WorkspaceDetails'];

export const workspaceDetails = (id: number) =>
  queryOptions({
    queryKey: ['workspace', id],
    queryFn: ({ signal }) => client.get('/v6/workspaces/{id}/', { path: { id }, signal }),
    // Whether nodes reach it changes with the nodes.
    ...shows(['workspace', 'node'], id),
  });

/** Why nothing finds the file at a path, or why it was not taken. */
export const whyOfPath = (workspace: string, path: string) =>
  queryOptions({
    queryKey: ['path', workspace, path],
    queryFn: ({ signal }) => client.get('/v6/files/why/', { query: { workspace, path }, signal }),
    ...shows(['ingest', 'strike', 'scan', 'file']),
  });

/** Those that can be used. */
const activeWorkspaces = (field: 'id' | 'name'): ChoiceSource =>
  namedChoices(
    { key: ['workspaces', field], kinds: ['workspace'], noun: 'a workspace' },
    field,
    (query, signal) => client.get('/v6/workspaces/', { query: { ...query, is_active: true }, signal }),
  );

export const workspacesById = activeWorkspaces('id');
export const workspacesByName = activeWorkspaces('name');

/** Active workspaces that no node reaches, with what each node found. */
export const unreachedWorkspaces = queryOptions({
  queryKey: ['workspaces', 'unreached'],
  queryFn: ({ signal }) =>
    client
      .get('/v6/workspaces/unreached/', { query: { page_size: 100 }, signal })
      .then(({ results }) => results),
  refetchInterval: MINUTES_MS,
  ...shows(['workspace', 'node']),
});
