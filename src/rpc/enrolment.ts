/** Gives agents their certificates: that of the authority, and one for a node's name to holders of the join token. */
import { type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import {
  checkKeyRequest,
  NONCE_BYTES_MAX,
  NONCE_BYTES_MIN,
  proveAuthority,
} from '../certificates/request.ts';
import type {
  Enrolment,
  EnrolRequest,
  IntroduceRequest,
  Introduction,
} from '../domain/node/agent-messages.ts';
import { callerNode, type GatewayTls } from './tls.ts';

export interface EnrolmentOptions {
  /** Absent: this cluster has no certificates. */
  readonly tls: GatewayTls | undefined;
  readonly joinToken: string;
  readonly isToken: (token: string) => boolean;
  readonly isName: (name: string) => boolean;
  readonly log: {
    info(event: string, fields?: Record<string, unknown>): void;
    warn(event: string, fields?: Record<string, unknown>): void;
  };
}

type Unary<Request, Reply> = (call: ServerUnaryCall<Request, Reply>, done: sendUnaryData<Reply>) => void;

const NO_TLS = { code: status.FAILED_PRECONDITION, details: 'this coordinator has TLS switched off' };

/** Answers with the authority's certificate, and a proof by the join token that it is this cluster's. */
export function introduce({ tls, joinToken }: EnrolmentOptions): Unary<IntroduceRequest, Introduction> {
  return ({ request: { nonce } }, done) => {
    if (tls === undefined) return done(NO_TLS);
    if (nonce.length < NONCE_BYTES_MIN || nonce.length > NONCE_BYTES_MAX) {
      return done({ code: status.INVALID_ARGUMENT, details: 'the nonce is too short or too long' });
    }
    const certificate = tls.authority;
    done(null, { certificate, proof: proveAuthority(joinToken, nonce, certificate) });
  };
}

/** Issues a certificate to a caller that has the join token, or shows a certificate of the same node. */
export function enrol(options: EnrolmentOptions): Unary<EnrolRequest, Enrolment> {
  const { log } = options;
  return (call, done) => {
    certify(options, call).then(
      (answer) => {
        if ('certificate' in answer) log.info('agent_enrolled', { node: call.request.nodeName });
        else log.warn('agent_not_enrolled', { node: shown(call), reason: answer.details });
        if ('certificate' in answer) done(null, answer);
        else done(answer);
      },
      (error: unknown) => {
        log.warn('agent_not_enrolled', { node: shown(call), error: String(error) });
        done({ code: status.UNAVAILABLE, details: 'the store does not answer' });
      },
    );
  };
}

/** The node's name for the log. It may be any text, so it is cut to the length that a name may have. */
function shown({ request }: ServerUnaryCall<EnrolRequest, Enrolment>): string {
  return request.nodeName.slice(0, 250);
}

type Refusal = { readonly code: status; readonly details: string };

async function certify(
  { tls, isToken, isName }: EnrolmentOptions,
  call: ServerUnaryCall<EnrolRequest, Enrolment>,
): Promise<Enrolment | Refusal> {
  const { request } = call;
  if (tls === undefined) return NO_TLS;
  const isOwn = callerNode(call) === request.nodeName;
  if (!isOwn && !isToken(request.joinToken)) {
    return { code: status.UNAUTHENTICATED, details: 'the join token is not this cluster’s' };
  }
  if (!isName(request.nodeName)) return { code: status.INVALID_ARGUMENT, details: 'not a valid node name' };
  const publicKey = checkKeyRequest(request);
  if (publicKey === undefined) {
    return {
      code: status.INVALID_ARGUMENT,
      details: 'the key is not on P-256, or the request is not signed with it',
    };
  }
  if ((await tls.revoked([request.nodeName])).length > 0) {
    return { code: status.PERMISSION_DENIED, details: 'the node was deactivated' };
  }
  if (tls.issue === undefined) {
    const details = 'this coordinator has no ca.key: it cannot issue certificates';
    return { code: status.FAILED_PRECONDITION, details };
  }
  return { certificate: tls.issue(request.nodeName, publicKey) };
}
