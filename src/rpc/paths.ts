/** The ReservePath call: an agent reserves the path of a product before it moves the file there. */
import { type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import type { PathRequest } from '../domain/node/agent-messages.ts';
import type { PathReservation } from '../domain/node/coordinator-messages.ts';
import { pathRequestProblem } from '../domain/task/path-verdict.ts';

export interface PathReserver {
  readonly isKnown: (token: string, call: { getPeer(): string }) => boolean;
  /** Idempotent; throws when the store does not answer. */
  readonly reservePath: (request: PathRequest) => Promise<PathReservation>;
  readonly log: { warn(event: string, fields?: Record<string, unknown>): void };
}

type Call = ServerUnaryCall<PathRequest, PathReservation>;

export function reservePaths({
  isKnown,
  reservePath,
  log,
}: PathReserver): (call: Call, done: sendUnaryData<PathReservation>) => void {
  return (call, done) => {
    const { request } = call;
    if (!isKnown(request.joinToken, call)) {
      return done({ code: status.UNAUTHENTICATED, details: 'the join token is not this cluster’s' });
    }
    const problem = pathRequestProblem(request);
    if (problem !== undefined) return done({ code: status.INVALID_ARGUMENT, details: problem });
    reservePath(request).then(
      (reservation) => done(null, reservation),
      (error: unknown) => {
        log.warn('path_not_reserved', { executionId: request.executionId, error: String(error) });
        done({ code: status.UNAVAILABLE, details: 'the store does not answer' });
      },
    );
  };
}
