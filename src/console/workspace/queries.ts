/** What the page of a workspace reads. */
import { queryOptions } from '@tanstack/react-query';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';

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
