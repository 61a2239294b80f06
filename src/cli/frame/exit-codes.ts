/** The exit codes of commands, and the messages of failures. */
import { ClientError, RefusedError, UnreachableError } from '../../client/errors.ts';
import { AppError } from '../../domain/errors.ts';
import { escapeControls, escapeLines } from './escape.ts';
import {
  type CalledService,
  causeText,
  isForeign,
  isNotReady,
  refusalText,
  unreachableHelp,
} from './refusal.ts';

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  unauthorized: 4,
  notFound: 5,
  unreachable: 6,
  interrupted: 130,
} as const;

export const EXIT_WORDS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'the work that was waited for failed, or the program itself',
  usage: 'wrong usage; nothing was done',
  refused: 'the service refused; its problems are listed',
  unauthorized: 'not logged in, or not permitted',
  notFound: 'there is no such record',
  unreachable: 'the service cannot be reached, is not ready yet, or is not a Millrace service',
  interrupted: 'ended by Ctrl-C, or by another signal',
};

/** A wrong call of a command. The message says what to do. */
export class UsageError extends Error {
  readonly problems: readonly string[];

  constructor(...problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** The service does not have the named record. */
export class NotFoundError extends Error {}

/** The account or its token may not do this. */
export class NotPermittedError extends Error {}

/** The service refused a record as invalid. The message lists the problems. */
export class InvalidError extends Error {}

/** Ctrl-C at a question. */
export class InterruptedError extends Error {}

/** No service answers. The message says what to do. */
export class AwayError extends Error {}

/** A job, batch or other work that the command waited for has failed. */
export class FailedError extends Error {}

export interface Failure {
  readonly code: number;
  /** Lines for standard error. */
  readonly text: string;
}

/** `service`: the one that the failed command called. Undefined: the error is a defect, and is to be thrown again. */
export function failureOf(error: unknown, service: CalledService): Failure | undefined {
  if (error instanceof UsageError) {
    return { code: EXIT.usage, text: error.problems.map(escapeControls).join('\nmillrace: ') };
  }
  if (error instanceof AppError) {
    const code = error.kind === 'not_found' ? EXIT.notFound : EXIT.failed;
    return { code, text: escapeLines(error.message) };
  }
  if (error instanceof InterruptedError) return { code: EXIT.interrupted, text: 'interrupted' };
  if (error instanceof AwayError) return { code: EXIT.unreachable, text: escapeControls(error.message) };
  if (error instanceof NotFoundError) return { code: EXIT.notFound, text: escapeControls(error.message) };
  if (error instanceof NotPermittedError) {
    return { code: EXIT.unauthorized, text: escapeLines(error.message) };
  }
  if (error instanceof InvalidError) return { code: EXIT.refused, text: escapeLines(error.message) };
  if (error instanceof FailedError) return { code: EXIT.failed, text: escapeLines(error.message) };
  if (error instanceof RefusedError) return { code: codeOf(error), text: refusalText(error, service) };
  if (error instanceof ClientError) {
    const text = causeText(error, service);
    if (!(error instanceof UnreachableError)) return { code: EXIT.unreachable, text };
    return { code: EXIT.unreachable, text: `${text}\n  ${unreachableHelp(error)}` };
  }
  return undefined;
}

function codeOf(error: RefusedError): number {
  const { status } = error;
  if (isForeign(error) || isNotReady(error)) return EXIT.unreachable;
  if (status === 401 || status === 403) return EXIT.unauthorized;
  return status === 404 ? EXIT.notFound : EXIT.refused;
}
