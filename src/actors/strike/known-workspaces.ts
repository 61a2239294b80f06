/**
 * The workspaces as the strike knows them. They change: when one is deactivated, its monitor stops and ingests that
 * need it wait; when one becomes active, files that were deferred because of it are tried again.
 */
import { type WorkspaceBook, workspaceBook } from '../../domain/ingest/ingest-owner.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import type { Ctx } from '../../kernel/mod.ts';
import { dispatch } from '../ingest/dispatch.ts';
import { retryDeferred } from './arrivals.ts';
import { endMonitor, wantMonitor } from './monitor.ts';
import type { StrikeEffect } from './strike-effects.ts';

export function workspacesRead(
  state: StrikeState,
  workspaces: readonly WorkspaceInfo[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  const before = state.workspaces;
  state.isAskingWorkspaces = false;
  state.workspacesReadMs = ctx.nowMs;
  state.workspaces = workspaceBook(workspaces);
  const effects: StrikeEffect[] = [];
  if (configurationOf(before, state.workspaceId) !== configurationOf(state.workspaces, state.workspaceId))
    effects.push(...endMonitor(state, null, ctx), ...wantMonitor(state));
  const isBack = [...namedBy(state)].some(
    (name) => !before.byName.has(name) && state.workspaces.byName.has(name),
  );
  if (isBack) effects.push(...retryDeferred(state, ctx));
  return [...effects, ...dispatch(state, ctx)];
}

/** As text; undefined while the workspace is not active. */
function configurationOf(book: WorkspaceBook, id: number): string | undefined {
  const workspace = book.byId.get(id);
  return workspace === undefined ? undefined : JSON.stringify(workspace.configuration);
}

/** Workspaces that rules move files to. */
function namedBy(state: StrikeState): ReadonlySet<string> {
  return new Set(state.configuration.files_to_ingest.flatMap((rule) => rule.new_workspace ?? []));
}
