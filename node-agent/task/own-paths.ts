/**
 * Products at paths that do not name their execution. A coordinator reserves such a path before the product gets it, so
 * that the origin of a file at the path is known: an earlier attempt of the job, another job, or another program.
 */
import { status } from '@grpc/grpc-js';
import { AppError } from '../../src/domain/errors.ts';
import type { OutputFile } from '../../src/domain/manifest/manifest.ts';
import type { PathRequest } from '../../src/domain/node/agent-messages.ts';
import type { Launch, PathReservation } from '../../src/domain/node/coordinator-messages.ts';
import { joinWithin } from '../../src/domain/paths.ts';
import type { Broker, StoredContent, StoreOptions } from '../../src/storage/broker.ts';
import { isHidden } from '../../src/storage/file-name.ts';
import { type Clock, pause } from '../clock.ts';
import type { LiveSession } from '../session.ts';
import { TaskFailure } from './task-failure.ts';

const AGAIN_MS = 1_000;
// limit: how often an earlier file is removed and the reservation repeated.
const ROUNDS_MAX = 5;
/** The hash of no file. */
const NO_CONTENT = '0'.repeat(64);
/** The status codes of requests that a coordinator will never accept. */
const FINAL: ReadonlySet<number> = new Set([status.INVALID_ARGUMENT, status.UNAUTHENTICATED]);

export interface PathAsker {
  /** Repeats the call until a coordinator answers or the signal aborts. */
  reserve(request: Omit<PathRequest, 'joinToken'>, signal: AbortSignal): Promise<PathReservation>;
}

export interface PathAskerOptions {
  /** The session, if there is one. */
  readonly session: () => LiveSession | undefined;
  readonly joinToken: string;
  readonly clock: Clock;
}

export function pathAsker({ session, joinToken, clock }: PathAskerOptions): PathAsker {
  return {
    reserve: async (request, signal) => {
      for (;;) {
        signal.throwIfAborted();
        try {
          const live = session();
          if (live !== undefined) return await live.reservePath({ ...request, joinToken });
        } catch (error) {
          const { code, details } = error as { readonly code?: number; readonly details?: string };
          if (code !== undefined && FINAL.has(code))
            throw new TaskFailure('unknown', `its path is refused: ${details}`, { cause: error });
        }
        await pause(clock, AGAIN_MS, signal);
      }
    },
  };
}

export interface OwnPath {
  readonly paths: PathAsker;
  readonly broker: Broker;
  readonly executionId: number;
  readonly workspaceUuid: string;
  readonly workspaceName: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** Throws TaskFailure for a hidden path, or one that the storage reserves. */
function checkOwnPath(path: string): void {
  if (!path.split('/').some(isHidden)) return;
  throw new TaskFailure(
    'invalid-results-manifest',
    `'${path}' has a hidden name, which is ignored in a workspace`,
  );
}

/** Its path below the output directory; only one output may store a file there. */
export function ownPlaceOf(
  output: OutputFile,
  path: string,
  { outputs }: Launch,
  taken: Set<string>,
): string {
  checkOwnPath(path);
  const place = joinWithin('', path);
  if (place === undefined) {
    const detail = `an output file of ${output.name} has a path that cannot be stored`;
    throw new TaskFailure('invalid-results-manifest', detail);
  }
  const target = outputs.find((candidate) => candidate.output === output.name);
  const key = `${target?.workspaceUuid}/${place}`;
  if (taken.has(key)) {
    const detail = `'${place}' is a file of the output ${output.name} and of another one, and both go to one workspace`;
    throw new TaskFailure('product-path-taken', detail);
  }
  taken.add(key);
  return place;
}

/** The options for storing a product at its path only. */
export function atOwnPath(own: OwnPath): Pick<StoreOptions, 'isExact' | 'reserve'> {
  return { isExact: true, reserve: (content) => reserve(own, content) };
}

/** The failure of a task whose product could not get its path; other failures stay as they are. */
export function withTakenPath(error: unknown, { path, workspaceName }: OwnPath): unknown {
  const isTaken =
    error instanceof AppError && (error.code === 'CONFLICT' || error.code === 'PATH_NOT_ALLOWED');
  return isTaken ? taken(path, workspaceName, error.message) : error;
}

/** Removes what an earlier run of this execution, or an earlier attempt of the job, has stored at the path. */
export async function withdrawOwn({ paths, broker, path, signal, ...own }: OwnPath): Promise<void> {
  const foundProof = await broker.proofAt(path);
  if (foundProof === '') return;
  const { executionId, workspaceUuid } = own;
  // Nothing is reserved, because 'reserved' requires that the path is free.
  const asked = {
    executionId,
    workspaceUuid,
    path,
    foundProof,
    proof: foundProof,
    size: 0,
    sha256: NO_CONTENT,
  };
  const { verdict, isOwnFile } = await paths.reserve(asked, signal);
  if (verdict === 'kept' || verdict === 'replace' || isOwnFile) await broker.withdraw(path, foundProof);
}

async function reserve(own: OwnPath, content: StoredContent): Promise<string | undefined> {
  const { paths, broker, executionId, workspaceUuid, path, signal } = own;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const foundProof = await broker.proofAt(path);
    const reservation = { executionId, workspaceUuid, path, foundProof, ...content };
    const { verdict, reason, isOwnFile } = await paths.reserve(reservation, signal);
    switch (verdict) {
      case 'reserved':
        return undefined;
      case 'kept':
        return foundProof;
      case 'replace':
        await broker.withdraw(path, foundProof);
        break;
      case 'taken':
        throw taken(path, own.workspaceName, reason);
      case 'over':
        if (isOwnFile) await broker.withdraw(path, foundProof);
        throw new TaskFailure('scheduler-lost', reason);
    }
  }
  throw taken(path, own.workspaceName, 'a file appears there again whenever it is removed');
}

function taken(path: string, workspaceName: string, reason: string): TaskFailure {
  return new TaskFailure('product-path-taken', `'${path}' in the workspace ${workspaceName}: ${reason}`);
}
