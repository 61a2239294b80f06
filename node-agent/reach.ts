/**
 * Which workspaces this agent reaches, of those that matter: looked at when asked, and again every so often.
 */
import type { WorkspaceReach } from '../src/domain/node/agent-messages.ts';
import type { CheckWorkspaces, WorkspaceRef } from '../src/domain/node/coordinator-messages.ts';
import type { Workspaces } from './workspaces.ts';

export class Reach {
  readonly #workspaces: Workspaces;
  #asked: readonly WorkspaceRef[] = [];
  #told = '';
  #running: Promise<void> = Promise.resolve();
  /** Called with the whole state when it was asked for, and when it has changed. */
  onReach: (workspaces: readonly WorkspaceReach[]) => void = () => undefined;

  constructor(workspaces: Workspaces) {
    this.#workspaces = workspaces;
  }

  /** Takes over the set; answers through `onReach`. */
  ask({ workspaces, claimUuids }: CheckWorkspaces): Promise<void> {
    this.#asked = workspaces;
    this.#told = '';
    return this.#look(new Set(claimUuids));
  }

  /** Looks again; tells only what has changed. */
  refresh(): Promise<void> {
    return this.#look(new Set());
  }

  /** One look after another: an older answer never overtakes a newer one. */
  #look(claims: ReadonlySet<string>): Promise<void> {
    const look = async (): Promise<void> => {
      const asked = this.#asked;
      const found: WorkspaceReach[] = [];
      for (const workspace of asked) found.push(await this.#check(workspace, claims.has(workspace.uuid)));
      const told = JSON.stringify(found);
      if (told === this.#told) return;
      this.#told = told;
      this.onReach(found);
    };
    this.#running = this.#running.then(look);
    return this.#running;
  }

  async #check(workspace: WorkspaceRef, claim: boolean): Promise<WorkspaceReach> {
    try {
      const reach = await this.#workspaces.open(workspace).check({ claim });
      return { workspaceUuid: workspace.uuid, ...reach };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { workspaceUuid: workspace.uuid, isReachable: false, isUnmarked: false, reason };
    }
  }
}
