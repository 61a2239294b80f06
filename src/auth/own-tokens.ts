/** Tokens from settings, for programs that have no account. */
import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether an `Authorization` header has the token: as `Bearer <token>`, or as the password of `Basic`, because some
 * programs support nothing else. Takes the same time for every guess.
 */
export function isShown(token: string, authorization: string | undefined): boolean {
  const [scheme = '', value = ''] = (authorization ?? '').split(' ');
  const basic = () =>
    Buffer.from(value, 'base64')
      .toString('utf8')
      .replace(/^[^:]*:/, '');
  const shown = /^basic$/i.test(scheme) ? basic() : /^bearer$/i.test(scheme) ? value : '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(token));
}
