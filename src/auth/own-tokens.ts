/** Tokens in settings, for programs without an account. */
import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * `Bearer <token>`, or the password of `Basic`, because some programs support nothing else. Takes the same time for any
 * guess.
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
