/** Checks which workspaces this agent reaches, on request and at intervals. */

import { shellWord } from '../src/domain/manifest/shell-word.ts';
import type { WorkspaceReach, WorkspaceSeen } from '../src/domain/node/agent-messages.ts';
import type {
  CheckWorkspaces,
  LookAtWorkspace,
  WorkspaceRef,
} from '../src/domain/node/coordinator-messages.ts';
import { MARKER_NAME } from '../src/storage/file-name.ts';
import type { MarkedPlaces } from './data/marked-places.ts';
import type { Workspaces } from './workspaces.ts';

/** Storage that does not answer within this time counts as unreachable. */
const CHECK_MS_MAX = 20_000;
// limit: workspaces checked at a time; a few that hang do not delay the others for long.
const LANES = 8;
// limit: requested places checked at a time, so that hanging storages do not accumulate calls.
const LOOKS_MAX = 16;

export class Reach {
  readonly #workspaces: Workspaces;
  readonly #places: MarkedPlaces;
  readonly #checkMsMax: number;
  /**
   * Unfinished checks: a workspace is not checked again meanwhile, so that a hanging storage does not accumulate calls.
   */
  readonly #hanging = new Map<string, Promise<WorkspaceReach>>();
  #wanted: readonly WorkspaceRef[] = [];
  #lastSent = '';
  #lookCount = 0;
  #running: Promise<void> = Promise.resolve();
  /** Called with the complete state when it was requested, and when it has changed. */
  onReach: (workspaces: readonly WorkspaceReach[]) => void = () => undefined;

  constructor(workspaces: Workspaces, places: MarkedPlaces, checkMsMax = CHECK_MS_MAX) {
    this.#workspaces = workspaces;
    this.#places = places;
    this.#checkMsMax = checkMsMax;
  }

  /** Replaces the set of workspaces; the result is passed to `onReach`. */
  ask(request: CheckWorkspaces): Promise<void> {
    this.#workspaces.learn(request);
    this.#wanted = request.workspaces;
    this.#lastSent = '';
    return this.#look(new Set(request.claimUuids));
  }

  /** Checks again; reports only changes. */
  refresh(): Promise<void> {
    return this.#look(new Set());
  }

  /** Checks one place that belongs to no workspace yet, without writing to it. Never rejects. */
  async lookAt({ requestId, workspace }: LookAtWorkspace): Promise<WorkspaceSeen> {
    const answer = { type: 'workspaceSeen', requestId, isReachable: false, isUnmarked: false } as const;
    if (this.#lookCount >= LOOKS_MAX)
      return { ...answer, reason: `it is already checking ${LOOKS_MAX} places` };
    this.#lookCount += 1;
    try {
      return { ...answer, ...(await this.#workspaces.look(workspace)) };
    } catch (error) {
      return { ...answer, reason: error instanceof Error ? error.message : String(error) };
    } finally {
      this.#lookCount -= 1;
    }
  }

  /** One check after another: an older answer never overtakes a newer one. */
  #look(claims: ReadonlySet<string>): Promise<void> {
    const look = async (): Promise<void> => {
      const workspaces = this.#wanted;
      const found = new Map<string, WorkspaceReach>();
      const queue = workspaces.values();
      const lane = async (): Promise<void> => {
        for (const workspace of queue) {
          found.set(workspace.uuid, await this.#checkInTime(workspace, claims.has(workspace.uuid)));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      await this.#places.save();
      const answer = workspaces.flatMap(({ uuid }) => found.get(uuid) ?? []);
      const text = JSON.stringify(answer);
      if (text === this.#lastSent) return;
      this.#lastSent = text;
      this.onReach(answer);
    };
    this.#running = this.#running.then(look);
    return this.#running;
  }

  async #checkInTime(workspace: WorkspaceRef, claim: boolean): Promise<WorkspaceReach> {
    const { uuid } = workspace;
    const check =
      this.#hanging.get(uuid) ?? this.#check(workspace, claim).finally(() => this.#hanging.delete(uuid));
    this.#hanging.set(uuid, check);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<WorkspaceReach>((resolve) => {
      const reason = `its storage does not answer within ${this.#checkMsMax / 1_000} s`;
      const answer = { workspaceUuid: uuid, isReachable: false, isUnmarked: false, reason };
      timer = setTimeout(() => resolve(answer), this.#checkMsMax);
    });
    return Promise.race([check, late]).finally(() => clearTimeout(timer));
  }

  async #check(workspace: WorkspaceRef, claim: boolean): Promise<WorkspaceReach> {
    const { uuid } = workspace;
    try {
      const broker = this.#workspaces.open(workspace);
      if (broker.kind !== 'host' || broker.local === undefined)
        return { workspaceUuid: uuid, ...(await broker.check({ claim })) };
      const { root } = broker.local;
      const mount = await this.#places.mountOf(root);
      const gone = this.#places.goneFrom(uuid, root, mount);
      const reach = await broker.check({ claim: claim && gone === undefined });
      if (reach.isReachable) this.#places.keep(uuid, root, mount);
      else if (reach.isUnmarked && gone !== undefined) {
        const reason = notMounted(gone, root, uuid);
        return { workspaceUuid: uuid, isReachable: false, isUnmarked: false, reason };
      }
      return { workspaceUuid: uuid, ...reach };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { workspaceUuid: uuid, isReachable: false, isUnmarked: false, reason };
    }
  }
}

function notMounted(mount: string, root: string, uuid: string): string {
  return (
    `nothing is mounted at ${mount} any more, and the directory that is there has no marker: mount it again, ` +
    `or, if the files are to be in this directory from now on: echo ${uuid} >${shellWord(`${root}/${MARKER_NAME}`)}`
  );
}
