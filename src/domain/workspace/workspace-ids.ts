/** Ids of workspaces by what people and agents call them: configurations say names, reports say uuids. */
export interface WorkspaceIds {
  readonly byName: ReadonlyMap<string, number>;
  readonly byUuid: ReadonlyMap<string, number>;
}
