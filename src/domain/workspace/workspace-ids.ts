/** Ids of workspaces by the identifiers of users and agents: configurations use names, reports use uuids. */
export interface WorkspaceIds {
  readonly byName: ReadonlyMap<string, number>;
  readonly byUuid: ReadonlyMap<string, number>;
}
