/**
 * How many bytes and parts a body may have, and where it is read. All of it follows from the route alone: it is known
 * before the body is read, and is the same under every prefix and with every setting of authentication.
 */
import { AppError } from '../../domain/errors.ts';
import { NOTIFICATION_BYTES_MAX } from '../../domain/notification/s3-event.ts';
import { accessOf, type Route } from '../route.ts';

// limit: bytes of a body. Callers without an account may send the least.
export const OPEN_BODY_BYTES_MAX = 65_536;
const NOTIFICATION_BODY_BYTES_MAX = NOTIFICATION_BYTES_MAX;
export const BODY_BYTES_MAX = 1_048_576;
/** For bodies with lists or documents that programs generate (`hasLargeBody`). */
const LARGE_BODY_BYTES_MAX = 10_485_760;

// limit: bytes of a body that is read on the event loop, for routes that take large bodies.
const LOOP_BODY_BYTES_MAX = 131_072;
// limit: parts (members of objects, objects and arrays) of a body, for routes without large bodies: these are always
// read on the event loop.
const BODY_PARTS_MAX = 20_000;
/**
 * For bodies with a manifest (`hasManyParts`), which has 48,000 parts when all its lists and its configuration are
 * full.
 */
export const MANY_PARTS_MAX = 50_000;

type Limited = Pick<Route<never>, 'access' | 'method' | 'bodyRule' | 'hasLargeBody' | 'hasManyParts'>;

/** The most bytes that a body of the route may have. */
export function bodyBytesMaxOf(route: Limited): number {
  // A streamed body is limited by its handler.
  if (route.bodyRule === 'streamed') return Number.POSITIVE_INFINITY;
  const access = accessOf(route);
  if (access === 'open') return OPEN_BODY_BYTES_MAX;
  if (access === 'notify') return NOTIFICATION_BODY_BYTES_MAX;
  return route.hasLargeBody === true ? LARGE_BODY_BYTES_MAX : BODY_BYTES_MAX;
}

/** The size in bytes up to which a body of the route is read on the event loop. */
export function loopBodyBytesMaxOf(route: Limited): number {
  return route.hasLargeBody === true ? LOOP_BODY_BYTES_MAX : bodyBytesMaxOf(route);
}

/** The most parts that a body of the route may have; undefined: limited only by its bytes and values. */
export function bodyPartsMaxOf({ hasLargeBody, hasManyParts }: Limited): number | undefined {
  if (hasLargeBody === true) return undefined;
  return hasManyParts === true ? MANY_PARTS_MAX : BODY_PARTS_MAX;
}

/** The refusal of a body with more than `bytesMax` bytes. */
export function bodyTooLarge(bytesMax: number): AppError {
  return new AppError('TOO_LARGE', `the body must not be larger than ${bytesMax} bytes`);
}
